// Real traces, reduced (data/kineto): the importer's results for each kind.
#include "scenarios/language/decode/canonical.hpp"
#include "scenarios/language/import/kineto_trace.hpp"
#include "tests/scenarios/support.hpp"
#include "workloads/code/trace_workload.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <source_dir.hpp>

using namespace gradflight;
using namespace gradflight::test;

namespace {

const std::filesystem::path source_dir = GF_SOURCE_DIR;
const std::vector<std::int64_t> resnet50_buckets = {2049000, 7875584, 6563840, 6637568, 2431040};

struct Measured {
  Trace trace;
  TraceSteps found;
  std::vector<StepTimes> steps;
};

Measured measure(const std::filesystem::path& file) {
  Measured result{read_kineto(file.string()).trace, {}, {}};
  result.found = find_steps(result.trace);
  result.steps = measure_steps(result.trace, result.found);
  return result;
}

Measured fixture(const std::string& name) {
  return measure(source_dir / "tests/scenarios/data/kineto" / (name + ".json.gz"));
}

Workload network(const std::string& name) {
  return load_workload((source_dir / "workloads/networks" / (name + ".json")).string());
}

std::vector<std::int64_t> recorded_elements(const StepTimes& step) {
  std::vector<std::int64_t> elements;
  for (const TraceCollective* bucket : step.gradient_buckets()) elements.push_back(bucket->elements);
  return elements;
}

std::vector<std::int64_t> ddp_elements(const Workload& workload) {
  Granularity granularity;
  granularity.kind = Granularity::Kind::ddp;
  granularity.bytes = 25.0 * 1024 * 1024;
  std::vector<std::int64_t> elements;
  for (const Bucket& bucket : make_buckets(workload, granularity)) elements.push_back(bucket.elements);
  return elements;
}

/// No part of a step is lost, and none is counted twice.
void check_tiles(const StepTimes& step) {
  const double until_backward = step.begin + step.before.span + step.forward() + step.backward();
  CHECK(until_backward == Approx(step.backward_end).epsilon(0).margin(1e-9));
  CHECK(step.communication_end + step.update.span == Approx(step.end).epsilon(0).margin(1e-9));
  double layers = step.loss_backward.span;
  for (const TraceLayer& layer : step.layers) layers += layer.backward.span;
  CHECK(layers == Approx(step.backward()).epsilon(0).margin(1e-9));
}

/// The workload computes as long as the step without waiting for collectives.
void check_total(const Workload& workload, const StepTimes& step) {
  const double exposed = step.communication_end - step.backward_end;
  CHECK(workload.forward() + workload.backward() + workload.update ==
        Approx(step.end - step.begin - exposed).epsilon(0).margin(1e-9));
}

} // namespace

TEST_CASE("a DDP trace of two ranks: five buckets, exactly PyTorch's") {
  const Measured got = fixture("ddp-2-ranks");
  REQUIRE(got.steps.size() == 1);
  const StepTimes& step = got.steps.front();
  CHECK(step.name == "ProfilerStep#5");
  CHECK(got.trace.rank == 0);
  CHECK(got.trace.world_size == 2);
  CHECK(got.trace.device == "NVIDIA A100-PG509-200");
  check_tiles(step);
  CHECK(recorded_elements(step) == resnet50_buckets);
  for (const TraceCollective* bucket : step.gradient_buckets()) {
    CHECK(bucket->group == 2);
    CHECK(bucket->dtype == "Float");
    CHECK(bucket->bytes == 4.0 * static_cast<double>(bucket->elements));
    CHECK(bucket->stream == 40);
    REQUIRE(bucket->kernel);
    // NCCL's kernel waits for the copies of the gradients, and is launched immediately afterwards.
    CHECK(bucket->ready <= bucket->kernel->begin);
    CHECK(bucket->kernel->begin - bucket->ready < 0.3e-3);
  }
  // The profiler's value: 2028.293 us for the last bucket's kernel.
  const TraceSpan last = *step.gradient_buckets().back()->kernel;
  CHECK(last.end - last.begin == Approx(2028.293e-6).epsilon(0).margin(2e-9));
  CHECK(step.communication_end == last.end);

  const Workload layers = workload_of_layers(step, network("resnet50"), TraceTimes::span);
  check_total(layers, step);
  CHECK(ddp_elements(layers) == resnet50_buckets);
  CHECK(std::ranges::none_of(layers.layers, [](const Layer& l) { return !l.tensors.empty() && !(l.backward > 0); }));
  const Workload buckets = workload_of_buckets(step, TraceTimes::span);
  check_total(buckets, step);
  REQUIRE(buckets.layers.size() == 6);
  CHECK(buckets.layers.back().name == "bucket0");
  CHECK(buckets.layers.back().tensors.front().elements == resnet50_buckets.front());
}

TEST_CASE("each bucket of the imported workload is ready when the recorded one was") {
  const StepTimes step = fixture("ddp-2-ranks").steps.front();
  for (const Workload& workload :
       {workload_of_layers(step, network("resnet50"), TraceTimes::span), workload_of_buckets(step, TraceTimes::span)}) {
    Granularity granularity;
    granularity.kind = workload.layers.size() > 10 ? Granularity::Kind::ddp : Granularity::Kind::tensor;
    granularity.bytes = 25.0 * 1024 * 1024;
    const auto buckets = make_buckets(workload, granularity);
    const auto recorded = step.gradient_buckets();
    REQUIRE(buckets.size() == recorded.size());
    for (std::size_t b = 0; b < buckets.size(); ++b) {
      double ready = step.begin + workload.forward();
      for (std::size_t i = workload.layers.size(); i-- > static_cast<std::size_t>(buckets[b].ready_layer);)
        ready += workload.layers[i].backward;
      CHECK(ready == Approx(recorded[b]->ready).epsilon(0).margin(1e-9));
    }
  }
}

TEST_CASE("a DDP trace of one rank: collectives without kernels") {
  const StepTimes step = fixture("ddp-1-rank").steps.front();
  check_tiles(step);
  CHECK(recorded_elements(step) == resnet50_buckets);
  for (const TraceCollective* bucket : step.gradient_buckets()) {
    CHECK_FALSE(bucket->kernel);
    CHECK(bucket->group == 1);
    CHECK(bucket->ready > step.begin);
  }
  CHECK(step.communication_end == step.backward_end);
  // The GPU is far behind the CPU, so the step begins where the GPU ended the previous one.
  CHECK(step.end - step.begin == Approx(95.664e-3).epsilon(0).margin(1e-6));
  const Workload workload = workload_of_layers(step, network("resnet50"), TraceTimes::span);
  check_total(workload, step);
  CHECK(ddp_elements(workload) == resnet50_buckets);
}

TEST_CASE("a trace of forward passes only") {
  const Measured got = fixture("forward-only");
  CHECK(got.found.found_by.starts_with("forward annotations"));
  REQUIRE(got.steps.size() == 2);
  CHECK(median_step(got.steps) == 1); // the warm-up step is longer
  const StepTimes& step = got.steps[1];
  CHECK_FALSE(step.has_backward);
  check_tiles(step);
  const Workload workload = workload_of_layers(step, network("alexnet_owt"), TraceTimes::span);
  check_total(workload, step);
  CHECK(workload.backward() == 0);
  CHECK(workload.update == 0);
  CHECK(workload.forward() > 0);
  CHECK(workload.elements() == network("alexnet_owt").elements());
  CHECK_THROWS_WITH(workload_of_buckets(step, TraceTimes::span), Catch::Contains("name the model with --model"));
}

TEST_CASE("a trace with all-to-all: sizes from shapes") {
  const StepTimes step = fixture("recsys-128-ranks").steps.front();
  check_tiles(step);
  std::vector<std::string> operations;
  for (const TraceCollective& collective : step.collectives) {
    operations.push_back(collective.operation);
    CHECK(collective.group == 128);
    CHECK(collective.bytes > 0);
    CHECK(collective.kernel);
  }
  CHECK(std::ranges::count(operations, "all_to_all") == 2);
  CHECK(std::ranges::count(operations, "all_reduce") == 2);
  CHECK(std::ranges::count(operations, "all_gather") == 1);
  CHECK(recorded_elements(step) == std::vector<std::int64_t>{26258430, 5716654});
  const Workload workload = workload_of_buckets(step, TraceTimes::span);
  CHECK(workload.elements() == 26258430 + 5716654);
  check_total(workload, step);
}

TEST_CASE("the model must be the trace's") {
  const StepTimes step = fixture("ddp-2-ranks").steps.front();
  CHECK_THROWS_WITH(
      workload_of_layers(step, network("resnet18"), TraceTimes::span),
      "ProfilerStep#5 has 107 operators with parameters, but the model resnet18 has 41 layers with tensors");
  StepTimes unnumbered = step;
  unnumbered.layers.clear();
  CHECK_THROWS_WITH(workload_of_layers(unnumbered, network("resnet50"), TraceTimes::span),
                    Catch::Contains("ProfilerStep#5: no operator has a sequence number"));
  Workload biased = network("resnet50");
  biased.layers.front().tensors.push_back({"conv1.bias", 64});
  CHECK_THROWS_WITH(
      workload_of_layers(step, biased, TraceTimes::span),
      Catch::Contains("layer conv1 of the model has 2 tensors, but its operator, aten::conv2d (number 1"));
}

TEST_CASE("an imported workload loads as it was written") {
  const StepTimes step = fixture("ddp-2-ranks").steps.front();
  Workload workload = workload_of_layers(step, network("resnet50"), TraceTimes::span);
  workload.batch = 32;
  const TemporaryDirectory directory;
  const Workload loaded = load_workload(directory.write("w.json", workload_json(workload)));
  CHECK(workload_json(loaded) == workload_json(workload));
  REQUIRE(loaded.layers.size() == workload.layers.size());
  for (std::size_t i = 0; i < loaded.layers.size(); ++i) {
    CHECK(loaded.layers[i].forward == workload.layers[i].forward);
    CHECK(loaded.layers[i].backward == workload.layers[i].backward);
  }
  CHECK(loaded.update == workload.update);
  CHECK(loaded.batch == 32);
}

TEST_CASE("the committed workload is what the real trace gives") {
  // ../shared is beside a developer's checkout; it is not in the repository.
  const auto file = source_dir / "../shared/traces/resnet50-ddp-2xa100.kineto.json.gz";
  if (!std::filesystem::exists(file)) {
    WARN("no shared trace here: only its reduced fixture was tested");
    return;
  }
  const Measured got = measure(file);
  REQUIRE(got.steps.size() == 3);
  for (const StepTimes& step : got.steps) {
    check_tiles(step);
    CHECK(recorded_elements(step) == resnet50_buckets);
  }
  const StepTimes& step = got.steps[median_step(got.steps)];
  const Workload workload = workload_of_layers(step, network("resnet50"), TraceTimes::span);
  CHECK(ddp_elements(workload) == resnet50_buckets);
  const Workload committed = load_workload((source_dir / "workloads/imported/resnet50-2xa100.json").string());
  REQUIRE(committed.layers.size() == workload.layers.size());
  for (std::size_t i = 0; i < workload.layers.size(); ++i)
    CHECK(committed.layers[i].backward == Approx(workload.layers[i].backward).epsilon(1e-9));
  // The fixture of the second step has the same spans.
  const StepTimes reduced = fixture("ddp-2-ranks").steps.front();
  CHECK(reduced.forward() == Approx(got.steps[1].forward()).epsilon(0).margin(2e-8));
  CHECK(reduced.backward() == Approx(got.steps[1].backward()).epsilon(0).margin(2e-8));
  CHECK(reduced.update.span == Approx(got.steps[1].update.span).epsilon(0).margin(2e-8));
}
