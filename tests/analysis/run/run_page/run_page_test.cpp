#include "analysis/run/run_page/run_page.hpp"
#include "tests/analysis/run/result/outcome_example.hpp"

#include <catch2/catch.hpp>

using namespace gradflight;
using namespace gradflight::testing;

TEST_CASE("a run's page begins with the verdict and holds breakdown, links, form, scenario and command") {
  const Outcome outcome = example_outcome();
  RunPage run{outcome, nullptr, "No timeline today.", "{\"name\": \"<example>\"}", "gradflight run a.json"};
  const std::string html = run_page(run);
  CHECK_THAT(html, Catch::StartsWith("<!DOCTYPE html>"));
  CHECK_THAT(html, Catch::Contains("<p class=\"lead\">"));
  CHECK(html.find("<p class=\"lead\">") < html.find("id=\"breakdown\""));
  for (const char* part : {"id=\"breakdown\"", "id=\"timeline\"", "id=\"links\"", "id=\"form\"", "id=\"scenario\"",
                           "No timeline today.", "node*.up", "ring_allreduce", "They agree to 1e-9", "Thakur et al.",
                           "gradflight run a.json", "&lt;example&gt;", "<p>Assumed: workload: all of it.</p>"})
    CHECK_THAT(html, Catch::Contains(part));
  CHECK_THAT(html, !Catch::Contains("<script"));
}

TEST_CASE("a run's page says by how much and why the closed form is left") {
  Outcome outcome = example_outcome();
  outcome.result.time *= 1.1;
  at(outcome.result.path, Part::contention) = 0.1 * outcome.form.form->terms.time;
  outcome.form.form->assumptions[0].holds = false;
  outcome.form.form->assumptions[0].detail = "node 3 is slow";
  const std::string html = run_page({outcome, nullptr, "", "", ""});
  CHECK_THAT(html, Catch::Contains("The simulation differs by"));
  CHECK_THAT(html, Catch::Contains("node 3 is slow"));
  CHECK_THAT(html, !Catch::Contains("They agree"));
}

TEST_CASE("pages of every kind of outcome can be made") {
  for (const Outcome& outcome : {outcome_with_everything(), outcome_of_jobs(), outcome_of_list()}) {
    const std::string html = run_page({outcome, nullptr, "None.", "{}", ""});
    CHECK_THAT(html, Catch::Contains("</html>"));
    if (outcome.result.jobs.empty()) continue;
    CHECK_THAT(html, Catch::Contains("id=\"jobs\""));
    CHECK_THAT(html, Catch::Contains(outcome.result.jobs.front().name));
  }
}

TEST_CASE("a page of failures shows goodput over the checkpoint interval with the formulas' marks") {
  Outcome outcome = outcome_with_everything();
  REQUIRE(outcome.result.failures);
  FailuresResult& f = *outcome.result.failures;
  f.tried = {{1, 0.8}, {10, 0.95}, {100, 0.7}};
  f.best = f.tried[1];
  f.every = 100;
  f.period = 1;
  f.write = 1;
  f.mtbf = 1000;
  const std::string html = run_page({outcome, nullptr, "None.", "{}", ""});
  for (const char* part : {"Goodput over the checkpoint interval", "s formula: 44.7", "best simulated: 10 s"})
    CHECK_THAT(html, Catch::Contains(part));
}
