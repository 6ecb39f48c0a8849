#include "analysis/explore/answers/answers_page.hpp"

#include <catch2/catch.hpp>

using namespace gradflight;

namespace {

TrainedStep step_of_seconds(double compute, double bytes) {
  TrainedStep step;
  step.time = step.iteration_time = step.mean_time = step.calm_time = compute + bytes;
  at(step.mean_path, Part::compute) = compute;
  at(step.mean_path, Part::beta) = bytes;
  step.bounds = {{Bounding::nic, bytes / step.time}, {Bounding::compute, compute / step.time}};
  step.verdict = verdict_text(step.bounds, step.time);
  return step;
}

Tried tried(WhatIfKind kind, const char* change, double gain) {
  Tried t;
  t.what = {kind, change, "topic", {{"platform.network.link.bandwidth", "20Gbps"}}};
  t.step = step_of_seconds(1, 2 * (1 - gain));
  t.gain = gain;
  return t;
}

} // namespace

TEST_CASE("the page of a comparison names the best, and each difference") {
  SideBySide table;
  table.columns = {{"slow <one>", step_of_seconds(1, 3)}, {"fast", step_of_seconds(1, 1)}};
  const std::string html = compare_page(table, "gradflight compare a b");
  table.columns.front().step.differ = true;
  CHECK_THAT(compare_page(table, ""), Catch::Contains("fast has the shortest step; a step takes 2&nbsp;s on average"));
  for (const char* part : {"fast has the shortest step", "slow &lt;one&gt;", "beta -2&nbsp;s", "iteration_time_s",
                           "gradflight compare a b", "The NICs bound the step: 75.0&nbsp;% of 4&nbsp;s"})
    CHECK_THAT(html, Catch::Contains(part));
}

TEST_CASE("the page of a scaling says where it stops, and draws what is known") {
  Scaling scaling{"platform.nodes", 0.5, false, {}};
  scaling.points = {{"1", 8, 1, 80, 1, {{Bounding::compute, 1}}}, {"2", 16, 4, 40, 0.25, {{Bounding::nic, 1}}}};
  const std::string html = scale_page(scaling, "job", "");
  for (const char* part : {"Scaling stops at 16 ranks", "threshold 50 %", "samples per second", "the NICs"})
    CHECK_THAT(html, Catch::Contains(part));
  CHECK_THAT(html, Catch::Contains(">ranks<") && !Catch::Contains(">platform.nodes</text>"));
  scaling.points.back().ranks = 8; // over another value
  CHECK_THAT(scale_page(scaling, "job", ""), Catch::Contains(">platform.nodes</text>"));
  for (ScalePoint& point : scaling.points) point.efficiency = point.samples_per_second = std::nullopt;
  CHECK_THAT(scale_page(scaling, "job", ""), Catch::Contains("The workload has no compute time"));
}

TEST_CASE("the page of advice has the best alone and together, and what would not help") {
  Advice advice;
  advice.scenario = "job";
  advice.step = step_of_seconds(1, 2);
  advice.tried = {tried(WhatIfKind::together, "NICs x 2 + fp16", 0.5), tried(WhatIfKind::hardware, "NICs x 2", 0.3),
                  tried(WhatIfKind::setting, "a tree", -0.2)};
  advice.left_out = 3;
  const std::string html = advice_page(advice, "gradflight advise a.json");
  for (const char* part : {"Best alone: NICs x 2, 30.0&nbsp;% off the step", "Best together: NICs x 2 + fp16",
                           "a tree (-20.0&nbsp;%)", "--set platform.network.link.bandwidth=20Gbps", "3 changes"})
    CHECK_THAT(html, Catch::Contains(part));
  // A phone has no space for a bar that repeats the number beside it.
  CHECK_THAT(html, Catch::Contains("<td class=\"n\">30.0 %</td><td class=\"bar repeats\">") &&
                       Catch::Contains("<th scope=\"col\">then bound by</th>"));
  advice.tried = {tried(WhatIfKind::setting, "a tree", -0.2)};
  CHECK_THAT(advice_page(advice, ""), Catch::Contains("None of the tried changes helps."));
  advice.tried.clear();
  CHECK_THAT(advice_page(advice, ""), Catch::Contains("Nothing was tried: the budget left no time for it."));
}
