#include "analysis/run/text/import_summary.hpp"

#include <catch2/catch.hpp>

using namespace gradflight;

TEST_CASE("a workload's source says which step of which trace on which machine") {
  RecordedTrace recorded;
  const TraceSteps found;
  std::vector<StepTimes> steps(2);
  steps[1].name = "ProfilerStep#3";
  const Workload workload;
  const auto source = [&](bool by_model, TraceTimes times) {
    return import_source({recorded, found, steps, 1, false, workload, by_model},
                         {"traces/t.json.gz", "a profiler", "models/resnet50.json", times});
  };
  CHECK(source(false, TraceTimes::busy) == "Measured: ProfilerStep#3 of t.json.gz, a profiler; kernel times only");
  recorded.trace.device = "a GPU";
  recorded.trace.world_size = 4;
  recorded.trace.rank = 1;
  CHECK(source(true, TraceTimes::span) ==
        "Measured: ProfilerStep#3 of t.json.gz, a profiler, on a GPU, rank 1 of 4; times on the GPU's timeline, waits "
        "for the CPU included; tensors of resnet50.json");
}
