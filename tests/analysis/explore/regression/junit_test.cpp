#include "analysis/explore/regression/junit.hpp"

#include <catch2/catch.hpp>
#include <rapidcheck.h>

using namespace gradflight;
using Catch::Contains;

namespace {

std::string with_text(const std::string& text) {
  return junit_xml("s", {{"c", text, 0, JunitCase::Kind::failure, text, text}});
}

} // namespace

TEST_CASE("JUnit: the whole file") {
  const auto xml = junit_xml("suite", {{"a.b", "one.json", 0.25, JunitCase::Kind::passed, "", ""},
                                       {"a.b", "two.json", 1e-10, JunitCase::Kind::failure, "time_s +1 %", "why\n"},
                                       {"a", "three.json", 0, JunitCase::Kind::error, "deadlock", "deadlock"}});
  CHECK(xml == R"(<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="suite" package="gradflight" id="0" hostname="localhost" timestamp="1970-01-01T00:00:00" tests="3" failures="1" errors="1" time="0.250000000">
    <properties>
      <property name="time" value="simulated seconds"/>
    </properties>
    <testcase name="one.json" classname="a.b" time="0.250000000"/>
    <testcase name="two.json" classname="a.b" time="0.000000000">
      <failure message="time_s +1 %" type="regression">why
</failure>
    </testcase>
    <testcase name="three.json" classname="a" time="0.000000000">
      <error message="deadlock" type="simulation">deadlock</error>
    </testcase>
    <system-out/>
    <system-err/>
  </testsuite>
</testsuites>
)");
  CHECK(xml.starts_with(junit_opening));
}

TEST_CASE("JUnit: what means something to XML is escaped") {
  const auto xml = with_text("<&>\"'\r\n\t");
  CHECK_THAT(xml, Contains("name=\"&lt;&amp;&gt;&quot;'&#13;&#10;&#9;\""));
  CHECK_THAT(xml, Contains(">&lt;&amp;&gt;&quot;'&#13;\n\t</failure>"));
  CHECK_THAT(with_text("]]>"), Contains("]]&gt;"));
}

TEST_CASE("JUnit: characters of UTF-8 stay, what XML cannot hold is replaced") {
  CHECK_THAT(with_text("\u00fc\u4e2d\U0001F600"), Contains("name=\"\u00fc\u4e2d\U0001F600\""));
  const std::string replaced = "\xEF\xBF\xBD";
  CHECK_THAT(with_text(std::string("a\0b", 3)), Contains("name=\"a" + replaced + "b\""));
  CHECK_THAT(with_text("a\x1B[0m"), Contains("name=\"a" + replaced + "[0m\""));
  CHECK_THAT(with_text("a\xFFz"), Contains("name=\"a" + replaced + "z\""));
  CHECK_THAT(with_text("a\xE4\xB8"), Contains("name=\"a" + replaced + replaced + "\""));       // cut off
  CHECK_THAT(with_text("\xED\xA0\x80"), Contains("name=\"" + replaced + replaced + replaced)); // a surrogate
  CHECK_THAT(with_text("\xC0\x80"), Contains("name=\"" + replaced + replaced + "\""));         // overlong
  CHECK_THAT(with_text("\xEF\xBF\xBF"), Contains("name=\"" + replaced + replaced + replaced)); // U+FFFF
}

TEST_CASE("JUnit: no bytes make markup or escape the attribute") {
  REQUIRE(rc::check("bytes", [](const std::string& text) {
    const auto xml = junit_xml("s", {{"c", text, 0, JunitCase::Kind::passed, "", ""}});
    const auto begin = xml.find("name=\"", xml.find("<testcase")) + 6, end = xml.find("\" classname=", begin);
    const auto name = xml.substr(begin, end - begin);
    RC_ASSERT(name.find_first_of("<>\"\n\t\r") == std::string::npos);
    for (const char c : name) RC_ASSERT(static_cast<unsigned char>(c) >= 0x20);
  }));
}
