#include "analysis/explore/regression/junit.hpp"

#include "analysis/run/pages/markup.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace gradflight {
namespace {

/// xs:decimal has no exponent.
std::string decimal(double seconds) { return fmt::format("{:.9f}", seconds); }

std::string case_text(const JunitCase& c) {
  std::string text = "    <testcase" + markup_attribute("name", c.name) + markup_attribute("classname", c.classname) +
                     markup_attribute("time", decimal(c.time_s));
  if (c.kind == JunitCase::Kind::passed) return text + "/>\n";
  const bool error = c.kind == JunitCase::Kind::error;
  const char* element = error ? "error" : "failure";
  return text + fmt::format(">\n      <{0}{1}{2}>{3}</{0}>\n    </testcase>\n", element,
                            markup_attribute("message", c.message),
                            markup_attribute("type", error ? "simulation" : "regression"), markup_text(c.text));
}

} // namespace

std::string junit_xml(const std::string& suite, const std::vector<JunitCase>& cases) {
  const auto count = [&](JunitCase::Kind kind) {
    return std::count_if(cases.begin(), cases.end(), [&](const JunitCase& c) { return c.kind == kind; });
  };
  double time = 0;
  for (const JunitCase& c : cases) time += c.time_s;
  std::string text = std::string(junit_opening) + "\n  <testsuite" + markup_attribute("name", suite) +
                     " package=\"gradflight\" id=\"0\" hostname=\"localhost\" timestamp=\"1970-01-01T00:00:00\"";
  text += fmt::format(" tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"{}\">\n", cases.size(),
                      count(JunitCase::Kind::failure), count(JunitCase::Kind::error), decimal(time));
  text += "    <properties>\n      <property name=\"time\" value=\"simulated seconds\"/>\n    </properties>\n";
  for (const JunitCase& c : cases) text += case_text(c);
  return text + "    <system-out/>\n    <system-err/>\n  </testsuite>\n</testsuites>\n";
}

} // namespace gradflight
