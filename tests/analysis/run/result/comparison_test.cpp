#include "analysis/run/result/comparison.hpp"
#include "tests/analysis/run/result/outcome_example.hpp"

#include <catch2/catch.hpp>
#include <limits>

using namespace gradflight;

namespace {
ClosedFormAnswer form_of(double time_s, bool holds = true) {
  ClosedFormAnswer answer;
  answer.form.emplace();
  answer.form->terms.time = time_s;
  answer.form->assumptions = {{AssumptionId::links_alike, "all links alike", holds, holds ? "" : "node3 has 1 Gbps"}};
  return answer;
}
} // namespace

TEST_CASE("agreement has no cause") {
  const Comparison c = compare(1 + 5e-10, form_of(1));
  CHECK(c.verdict == Verdict::ok);
  CHECK(*c.relative_error == Approx(5e-10).epsilon(1e-6));
  CHECK(c.cause.empty());
}

TEST_CASE("a residual while every assumption holds is off and unexplained, in both directions") {
  CHECK(compare(1 + 2e-9, form_of(1)).verdict == Verdict::off);
  CHECK(compare(1 - 2e-9, form_of(1)).verdict == Verdict::off);
  CHECK(compare(1 - 2e-9, form_of(1)).cause == "unexplained");
  CHECK(compare(1 + 2e-9, form_of(1), 1e-8).verdict == Verdict::ok);
}

TEST_CASE("a residual with a failed assumption is explained by it") {
  const Comparison c = compare(2, form_of(1, false));
  CHECK(c.verdict == Verdict::explained);
  CHECK(*c.relative_error == 1);
  CHECK(c.cause.find("all links alike") != std::string::npos);
}

TEST_CASE("a failed assumption is no cause where the numbers agree: nothing is to explain") {
  const Comparison c = compare(1 - 2.6e-13, form_of(1, false));
  CHECK(c.verdict == Verdict::ok);
  CHECK(c.cause.empty());
}

TEST_CASE("a form of no time agrees with nothing but no time") {
  CHECK(compare(0, form_of(0)).verdict == Verdict::ok);
  CHECK(*compare(0, form_of(0)).relative_error == 0);
  const Comparison c = compare(1, form_of(0));
  CHECK(c.verdict == Verdict::off);
  CHECK_FALSE(c.relative_error);
}

TEST_CASE("NaN is never within the tolerance") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(compare(nan, form_of(1)).verdict == Verdict::off);
  CHECK(compare(1, form_of(nan)).verdict == Verdict::off);
}

TEST_CASE("without a form there is nothing to compare") {
  const Comparison c = compare(1, {{}, "asynchronous"});
  CHECK(c.verdict == Verdict::no_form);
  CHECK_FALSE(c.relative_error);
}
