#include "scenarios/language/expressions/where.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <fmt/format.h>
#include <rapidcheck.h>

using namespace gradflight;
using Catch::Contains;

namespace {

const std::vector<std::string> paths = {"platform.nodes",
                                        "workload.tensors.0.bytes",
                                        "training.exchange.algorithm",
                                        "platform.network.link.latency",
                                        "workload.tensors.1.bytes",
                                        "engine.shortcuts"};

std::vector<WhereValue> values() {
  std::vector<WhereValue> out;
  for (const auto& node : {Node::of(std::int64_t{8}), Node::of(std::string("64MB")), Node::of(std::string("ring")),
                           Node::of(std::string("5us")), Node::of(std::string("1KB")), Node::of(true)})
    out.push_back(where_value(node));
  return out;
}

bool holds(const std::string& text) { return Condition(text, paths).holds(values()); }

/// Returns "OFFSET: message".
std::string condition_mistake(const std::string& text) {
  try {
    holds(text);
  } catch (const WhereError& error) {
    return std::to_string(error.offset) + ": " + error.message;
  }
  return "none";
}

} // namespace

TEST_CASE("numbers, names and arithmetic") {
  CHECK(holds("platform.nodes == 8"));
  CHECK(holds("nodes*2 + 1 == 17 and nodes % 3 == 2"));
  CHECK(holds("2 + 3 * 4 == 14 and (2 + 3) * 4 == 20 and 8 - 4 - 2 == 2 and 8 / 4 / 2 == 1"));
  CHECK(holds("-nodes < 0 and 1e3 == 1000 and nodes != 7 and nodes >= 8 and nodes <= 8 and not nodes > 8"));
  CHECK_FALSE(holds("nodes < 8"));
}

TEST_CASE("every spelling of a unit is a quantity, and is as long as it can be") {
  CHECK(holds("latency == 5usec and latency == 5\xC2\xB5s and 0.005msec == latency"));
  CHECK(holds("8Gb/s == 1GBps and 1Gbits/sec == 125MB/s"));
}

TEST_CASE("the least and the greatest of several") {
  CHECK(holds("min(nodes, 9, 10) == 8 and max(nodes, 9, 2 * nodes) == 16 and min(nodes) == 8"));
  CHECK(holds("max(latency, 1us) == 5us"));
  CHECK_THAT(condition_mistake("min(latency, nodes) > 0"), Contains("cannot be combined"));
  CHECK(condition_mistake("mean(nodes) == 8") == "0: unknown function \"mean\". Allowed: "
                                                 "min, max, pow, log2, ln, sqrt, ceil, floor, abs");
  CHECK(condition_mistake("min(nodes") == "9: expected \",\" or \")\"");
}

TEST_CASE("functions, and what they are given") {
  CHECK(holds("log2(nodes) == 3 and ceil(log2(nodes + 1)) == 4 and floor(nodes / 3) == 2"));
  CHECK(holds("pow(2, 3) == nodes and sqrt(nodes * 2) == 4 and abs(-nodes) == nodes and abs(ln(1)) == 0"));
  CHECK(holds("sqrt(latency * latency) == latency and abs(0s - latency) == 5us"));
  CHECK(condition_mistake("pow(nodes) > 0") == "9: expected \",\": pow has two arguments");
  CHECK(condition_mistake("log2(nodes, 2) > 0") == "10: expected \")\"");
  CHECK(condition_mistake("log2(latency) > 0") == "0: expected a plain number here, got a time");
  CHECK(condition_mistake("sqrt(latency) > 0s") == "0: expected a plain number here, got a time");
  CHECK(condition_mistake("pow(latency, 2) > 0") == "0: expected a plain number here, got a time");
  CHECK(condition_mistake("log2(0 - nodes) > 0") == "0: the result is not a number");
  CHECK(condition_mistake("log2(nodes - nodes) > 0") == "0: the result is too large for a number");
}

TEST_CASE("and binds tighter than or, not tighter than and") {
  CHECK(holds("true or false and false"));
  CHECK_FALSE(holds("(true or false) and false"));
  CHECK(holds("not false and true"));
  CHECK_FALSE(holds("not (true or false)"));
  CHECK(holds("!false && true || false"));
}

TEST_CASE("texts are equal or not") {
  CHECK(holds("algorithm == 'ring' and algorithm != \"gtopk\""));
  CHECK(holds("shortcuts and shortcuts == true"));
}

TEST_CASE("quantities keep their dimension") {
  CHECK(holds("tensors.0.bytes == 64MB and tensors.0.bytes > 1KiB"));
  CHECK(holds("latency < 1ms and latency == 5us and latency*2 == 10us"));
  CHECK(holds("tensors.0.bytes / 1.25GB/s > 51ms"));
  CHECK(holds("tensors.0.bytes/10Gbps < 52ms"));
  CHECK(holds("tensors.0.bytes / 1MB == 64"));
}

TEST_CASE("a number that is none is a mistake, not an answer") {
  CHECK(condition_mistake("nodes / 0 > 1") == "6: division by zero");
  CHECK(condition_mistake("nodes / (nodes - 8) > 1 or true") == "6: division by zero");
  CHECK(condition_mistake("nodes % 0 == 1") == "6: division by zero");
  CHECK(condition_mistake("tensors.0.bytes / 0Gbps < 1s") == "16: division by zero");
  CHECK(condition_mistake("1e308 * nodes > 1") == "6: the result is too large for a number");
  CHECK(condition_mistake("nodes / max(nodes - 8, 1) == 8") == "none");
}

TEST_CASE("a mistake is told with its place") {
  CHECK_THAT(condition_mistake("nods == 8"), Contains("0: \"nods\" is not a known axis; did you mean \"nodes\"?"));
  CHECK_THAT(condition_mistake("nodes == 8 and bytes > 1MB"),
             Contains("15: \"bytes\" is ambiguous: it may be workload.tensors.0.bytes, workload.tensors.1.bytes"));
  CHECK_THAT(condition_mistake("nodes = 8"), Contains("6: \"=\" is not an operator; write =="));
  CHECK_THAT(condition_mistake("latency < 1"), Contains("8: a time and a plain number cannot be combined"));
  CHECK_THAT(condition_mistake("latency + 1MB == 1s"), Contains("8: a time and a size in bytes cannot be combined"));
  CHECK_THAT(condition_mistake("algorithm < 'ring'"), Contains("10: the text \"ring\" can only be compared"));
  CHECK_THAT(condition_mistake("nodes == 8 and 3"), Contains("15: expected true or false here, got a plain number"));
  CHECK_THAT(condition_mistake("nodes == 8mb"), Contains("9: \"8mb\" is neither a number nor a quantity"));
  CHECK_THAT(condition_mistake("nodes + shortcuts == 1"), Contains("8: expected a number or a quantity here"));
  CHECK_THAT(condition_mistake("(nodes == 8"), Contains("11: expected \")\""));
  CHECK_THAT(condition_mistake("nodes =="), Contains("8: expected a value, got the end"));
  CHECK_THAT(condition_mistake("nodes == 8 nodes"), Contains("11: expected an operator or the end"));
  CHECK_THAT(condition_mistake("algorithm == 'ring"), Contains("13: the quoted text is not closed"));
  CHECK_THAT(condition_mistake(""), Contains("0: expected a value"));
  CHECK_THAT(condition_mistake("nodes < 1e999"), Contains("8: 1e999 is too large or too small for a number"));
  CHECK_THAT(condition_mistake("latency < 1e999s"), Contains("10: \"1e999s\" is neither a number nor a quantity"));
  CHECK_THAT(condition_mistake("0x10 == nodes"), Contains("0: \"0x10\" is neither a number nor a quantity"));
  CHECK_THAT(condition_mistake(std::string(300, '(')), Contains("too deeply nested"));
  CHECK_THAT(condition_mistake(std::string(300, '-')), Contains("too deeply nested"));
  CHECK_THAT(condition_mistake("true or nods == 8"), Contains("8: \"nods\" is not a known axis"));
}

TEST_CASE("a condition is read as it was meant, or its mistake lies inside it") {
  REQUIRE(rc::check("numbers compare as in C++", [](double a, double b) {
    a = std::abs(a), b = std::abs(b);
    const auto text = fmt::format("{} < {}", a, b);
    RC_ASSERT(Condition(text, {}).holds({}) == (a < b));
  }));
  REQUIRE(rc::check("any text", [](const std::string& text) {
    try {
      static_cast<void>(Condition(text, paths).holds(values()));
    } catch (const WhereError& error) {
      RC_ASSERT(error.offset <= text.size());
    }
  }));
}
