#include "scenarios/language/expressions/expression.hpp"

#include <catch2/catch.hpp>

using namespace gradflight;
using Catch::Contains;

namespace {

double number(const std::string& text, const std::vector<double>& readings) {
  return std::get<double>(Expression(text).value(readings));
}

/// Returns "OFFSET: message".
std::string expression_mistake(const std::string& text) {
  try {
    const Expression expression(text);
  } catch (const WhereError& error) {
    return std::to_string(error.offset) + ": " + error.message;
  }
  return "none";
}

} // namespace

TEST_CASE("readings are met in order, each once") {
  const Expression e("64 / iteration_time_s(ResNet-50.dense.P4) + time_s( b ) - iteration_time_s(ResNet-50.dense.P4)");
  REQUIRE(e.readings().size() == 2);
  CHECK(e.readings()[0].quantity == "iteration_time_s");
  CHECK(e.readings()[0].experiment == "ResNet-50.dense.P4");
  CHECK(e.readings()[0].quantity_offset == 5);
  CHECK(e.readings()[0].experiment_offset == 22);
  CHECK(e.readings()[1].experiment == "b");
  CHECK_FALSE(e.is_statement());
  CHECK(std::get<double>(e.value({0.5, 3})) == 64 / 0.5 + 3 - 0.5);
}

TEST_CASE("arithmetic over readings") {
  CHECK(number("min(time_s(a), time_s(b), 4) + max(time_s(a), 1)", {5, 3}) == 3 + 5);
  CHECK(number("-(time_s(a) - 2 * 3) / 4", {2}) == 1);
  CHECK(number("links.node0.up.busy_s(a) / breakdown.gamma_s(a)", {6, 2}) == 3);
  CHECK(number("min(7)", {}) == 7);
}

TEST_CASE("a comparison makes a statement") {
  const Expression e("time_s(a) < time_s(b) and not time_s(a) == 0");
  CHECK(e.is_statement());
  CHECK(std::get<bool>(e.value({1, 2})));
  CHECK_FALSE(std::get<bool>(e.value({2, 1})));
  CHECK_FALSE(std::get<bool>(e.value({0, 1})));
}

TEST_CASE("mistakes in an expression name their place") {
  CHECK(expression_mistake("64 / time_s") == "5: \"time_s\" needs an experiment: write time_s(EXPERIMENT)");
  CHECK(expression_mistake("time_s()") == "7: expected an experiment's name");
  CHECK(expression_mistake("time_s(a") == "7: expected an experiment's name and \")\"");
  CHECK(expression_mistake("time_s((a))") == "7: expected an experiment's name and \")\"");
  CHECK(expression_mistake("min(1, 2") == "8: expected \",\" or \")\"");
  CHECK(expression_mistake("time_s(a) +") == "11: expected a value, got the end");
  CHECK_THAT(expression_mistake("time_s(a) + 1ms"),
             Contains("10: ") && Contains("a plain number and a time cannot be combined"));
  CHECK_THAT(expression_mistake("64MB"), Contains("0: expected a plain number"));
  CHECK_THAT(expression_mistake("'x'"), Contains("0: expected a plain number"));
  CHECK_THAT(expression_mistake("time_s(a) and 1"), Contains("expected true or false here"));
  CHECK_THAT(expression_mistake("1 2"), Contains("2: expected an operator or the end"));
}

TEST_CASE("a value that is not finite is a mistake, whatever the condition around it would say") {
  const auto with = [](const std::string& text, const std::vector<double>& readings) {
    try {
      static_cast<void>(Expression(text).value(readings));
    } catch (const WhereError& error) {
      return std::to_string(error.offset) + ": " + error.message;
    }
    return std::string("none");
  };
  CHECK(with("time_s(a) / (time_s(b) - time_s(a))", {2, 3}) == "none");
  CHECK(with("time_s(a) / (time_s(b) - time_s(a))", {2, 2}) == "10: division by zero");
  CHECK(with("time_s(a) % time_s(b) < 1", {2, 0}) == "10: division by zero");
  CHECK(with("1e300 * time_s(a) > 1", {1e300}) == "6: the result is too large for a number");
  // Mistakes for all readings are reported during parsing.
  CHECK(expression_mistake("time_s(a) / 0") == "10: division by zero");
  CHECK(expression_mistake("time_s(a) % (1 - 1) == 0") == "10: division by zero");
  CHECK(expression_mistake("time_s(a) + 1e300 * 1e300") == "18: the result is too large for a number");
}

TEST_CASE("a number beyond the range of a double is not read as another one") {
  CHECK(expression_mistake("time_s(a) * 1e999") == "12: 1e999 is too large or too small for a number");
  CHECK(expression_mistake("time_s(a) * 1e-999") == "12: 1e-999 is too large or too small for a number");
  CHECK(expression_mistake("time_s(a) * 1e308") == "none");
}
