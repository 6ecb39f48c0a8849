// The analysis of recorded steps, with traces made by hand. One unit of time is a second.
#include "workloads/code/trace_ranks.hpp"
#include "workloads/code/trace_workload.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <rapidcheck.h>

using namespace gradflight;

namespace {

constexpr int main_thread = 1, autograd = 2;

class TraceMaker {
public:
  /// Adds an operator, and the kernels that it launches at its begin.
  void op(TraceOp::Kind kind, std::int64_t sequence, double begin, double end, const std::vector<TraceSpan>& kernels,
          const std::string& name = "aten::conv2d") {
    const bool forward = kind == TraceOp::Kind::forward || kind == TraceOp::Kind::composite;
    const int thread = forward ? main_thread : autograd;
    trace.ops.push_back({{begin, end}, kind, sequence, thread, static_cast<std::uint32_t>(trace.names.size())});
    trace.names.push_back(name);
    for (const TraceSpan& span : kernels) kernel(span, begin, thread);
  }
  void kernel(TraceSpan span, double launched, int thread = main_thread, int stream = 7, bool collective = false) {
    const auto correlation = static_cast<std::int64_t>(trace.kernels.size());
    trace.launches.push_back({launched, correlation, thread});
    trace.kernels.push_back({span, correlation, 0, stream, collective, -1, 0});
  }
  void all_reduce(double issued, std::int64_t elements, TraceSpan span, const std::string& dtype = "Float") {
    TraceMessage call{
        {issued, issued + 0.1}, TraceMessage::From::annotation, "all_reduce", dtype, elements, 2, "", autograd, -1};
    trace.messages.push_back(call);
    kernel(span, issued, autograd, 20, true);
  }
  void annotation(const std::string& name, double begin, double end) {
    trace.annotations.push_back({{begin, end}, name, main_thread});
  }
  std::vector<StepTimes> measure() {
    trace.finish();
    return measure_steps(trace, find_steps(trace));
  }
  Trace trace;
};

using enum TraceOp::Kind;

/// Two layers with two gradients and one gradient, a loss, an all-reduce for each layer, and an update.
TraceMaker two_layers() {
  TraceMaker t;
  t.annotation("ProfilerStep#3", 0, 100);
  t.op(forward, 10, 1, 2, {{2, 4}});         // waits for the CPU until 2
  t.op(forward, 11, 2, 3, {{4, 5}, {6, 7}}); // idle from 5 to 6
  t.op(forward, 12, 3, 4, {{7, 8}}, "aten::nll_loss");
  t.op(backward, 12, 10, 11, {{11, 12}});
  t.op(backward, 11, 11, 12, {{12, 14}});
  t.op(accumulate, -1, 12, 13, {{14, 15}});
  t.all_reduce(12.5, 100, {15, 30});
  t.op(backward, 10, 14, 15, {{15, 18}});
  t.op(accumulate, -1, 15, 15.5, {{18, 19}});
  t.op(accumulate, -1, 16, 17, {{19, 20}});
  t.all_reduce(16.5, 300, {30, 35});
  t.annotation("Optimizer.step#SGD.step", 20, 24);
  t.kernel({36, 40}, 21);
  return t;
}

/// For kernels that begin and end at multiples of half a second; ignores collectives.
double time_with_kernels(const Trace& trace) {
  double sum = 0;
  for (double half = 0; half < 200; half += 0.5) {
    const auto runs = [&](const TraceKernel& k) { return !k.collective && k.begin <= half && half < k.end; };
    if (std::ranges::any_of(trace.kernels, runs)) sum += 0.5;
  }
  return sum;
}

Workload two_layer_model() {
  Workload model;
  model.name = "two";
  model.layers = {{"a", 9, 9, {{"a.weight", 250}, {"a.bias", 50}}}, {"b", 9, 9, {{"b.weight", 100}}}};
  return model;
}

} // namespace

TEST_CASE("a step's parts on the GPU's timeline") {
  const auto steps = two_layers().measure();
  REQUIRE(steps.size() == 1);
  const StepTimes& s = steps.front();
  CHECK(s.before.span == 2);
  REQUIRE(s.layers.size() == 3);
  CHECK(s.layers[0].forward.span == 2);
  CHECK(s.layers[1].forward.span == 3); // includes the idle second
  CHECK(s.layers[1].forward.busy == 2);
  CHECK(s.layers[2].backward.span == 4); // 8 to 12: waits for autograd
  CHECK(s.layers[2].backward.busy == 1);
  CHECK(s.layers[1].backward.span == 3);
  CHECK(s.layers[1].gradients == 1);
  CHECK(s.layers[1].ready == 15);
  CHECK(s.layers[0].gradients == 2);
  CHECK(s.layers[0].ready == 20);
  CHECK(s.backward_end == 20);
  CHECK(s.communication_end == 35);
  CHECK(s.update.span == 5); // 35 to 40: its launch was late
  CHECK(s.update.busy == 4);
  CHECK(s.end == 40);
  const auto buckets = s.gradient_buckets();
  REQUIRE(buckets.size() == 2);
  CHECK(buckets[0]->ready == 15);
  CHECK(buckets[1]->ready == 20);
  CHECK(buckets[1]->bytes == 1200);
  CHECK(buckets[1]->kernel->begin == 30);
}

TEST_CASE("kernels of a second GPU are refused, unless they are short copies") {
  TraceMaker t = two_layers();
  t.trace.kernels.back().device = 1;
  CHECK_THROWS_WITH(t.measure(), Catch::Contains("kernels of GPU 0 and of GPU 1"));
  t = two_layers();
  t.kernel({50, 50.01}, 25);
  t.trace.kernels.back().device = 1;
  CHECK_NOTHROW(t.measure());
}

TEST_CASE("a recorded step as a workload") {
  const StepTimes s = two_layers().measure().front();
  const Workload layers = workload_of_layers(s, two_layer_model(), TraceTimes::span);
  REQUIRE(layers.layers.size() == 4);
  CHECK(layers.layers[0].name == "before forward");
  CHECK(layers.layers[1].forward == 2);
  CHECK(layers.layers[1].backward == 5);
  CHECK(layers.layers[2].forward == 3);
  CHECK(layers.layers[2].backward == 3);
  CHECK(layers.layers[3].name == "loss");
  CHECK(layers.layers[3].backward == 4);
  CHECK(layers.update == 5);

  const Workload buckets = workload_of_buckets(s, TraceTimes::span);
  REQUIRE(buckets.layers.size() == 3);
  CHECK(buckets.layers[1].tensors.front().elements == 300);
  CHECK(buckets.layers[1].forward == 2);
  CHECK(buckets.layers[1].backward == 5);
  CHECK(buckets.layers[2].tensors.front().elements == 100);
  CHECK(buckets.layers[2].forward == 4);
  CHECK(buckets.layers[2].backward == 7);

  const Workload busy = workload_of_layers(s, two_layer_model(), TraceTimes::busy);
  CHECK(busy.layers[0].name == "a"); // no kernel ran before
  CHECK(busy.forward() == 5);
  CHECK(busy.update == 4);
}

TEST_CASE("kernels of a later part that run before are busy, too") {
  TraceMaker t;
  t.annotation("ProfilerStep#1", 0, 100);
  t.op(forward, 1, 0, 1, {{0, 1}, {5, 9}});
  t.op(forward, 2, 1, 2, {{2, 4}, {6, 7}, {8, 10}}); // on another stream
  const StepTimes s = t.measure().front();
  REQUIRE(s.layers.size() == 2);
  CHECK(s.layers[0].forward.busy == 5);
  CHECK(s.layers[1].forward.busy == 3);
  CHECK(s.layers[1].forward.span == 1);
}

TEST_CASE("operators without parameters between layers") {
  TraceMaker t;
  t.annotation("ProfilerStep#1", 0, 100);
  const std::vector<std::pair<std::string, double>> ops = {
      {"aten::mul", 1},   {"aten::conv2d", 2},  {"aten::relu", 4},    {"aten::max_pool2d", 8},
      {"aten::view", 16}, {"aten::linear", 32}, {"aten::softmax", 64}};
  double at = 0;
  for (const auto& [name, time] : ops) {
    const double begin = static_cast<double>(t.trace.ops.size());
    t.op(forward, static_cast<std::int64_t>(t.trace.ops.size()), begin, begin + 1, {{at, at + time}}, name);
    at += time;
  }
  const StepTimes s = t.measure().front();
  const auto times = [&](const Workload& model) {
    std::vector<std::pair<std::string, double>> found;
    for (const Layer& layer : workload_of_layers(s, model, TraceTimes::span).layers)
      found.emplace_back(layer.name, layer.forward);
    return found;
  };
  using Times = std::vector<std::pair<std::string, double>>;
  const Layer conv{"conv", 0, 0, {{"w", 1}}}, fc{"fc", 0, 0, {{"w", 1}}}, relu{"relu", 0, 0, {}},
      pool{"pool", 0, 0, {}}, softmax{"softmax", 0, 0, {}}, input{"input", 0, 0, {}};
  Workload model;
  model.layers = {conv, relu, pool, fc};
  CHECK(times(model) == Times{{"before forward", 1}, {"conv", 2}, {"relu", 4}, {"pool", 24}, {"fc", 32}, {"loss", 64}});
  model.layers = {conv, fc};
  CHECK(times(model) == Times{{"before forward", 1}, {"conv", 30}, {"fc", 32}, {"loss", 64}});
  model.layers = {input, conv, relu, fc, softmax};
  CHECK(times(model) == Times{{"input", 1}, {"conv", 2}, {"relu", 28}, {"fc", 32}, {"softmax", 64}});
  model.layers = {conv};
  CHECK_THROWS_AS(times(model), TraceError);
}

TEST_CASE("of two operators with one number the later one is differentiated") {
  TraceMaker t;
  t.annotation("ProfilerStep#1", 0, 100);
  t.op(forward, 4, 0, 0.5, {{1, 2}});
  t.op(forward, 5, 1, 2, {{2, 3}}, "aten::add_"); // a counter without gradient: belongs to the next operator
  t.op(forward, 5, 3, 6, {{5, 6}}, "aten::batch_norm");
  t.op(forward, 5, 4, 5, {}, "aten::native_batch_norm");
  t.op(backward, 5, 10, 11, {{11, 12}});
  t.op(accumulate, -1, 11, 12, {{12, 13}});
  t.op(backward, 4, 13, 14, {});
  const StepTimes s = t.measure().front();
  REQUIRE(s.layers.size() == 2);
  CHECK(s.layers[1].op == "aten::batch_norm");
  CHECK(s.layers[1].forward.span == 4);
  CHECK(s.layers[1].gradients == 1);
}

TEST_CASE("what autograd launches while another thread puts a gradient in place is not lost") {
  TraceMaker t;
  t.annotation("ProfilerStep#1", 0, 100);
  t.op(forward, 1, 0, 1, {{0, 1}});
  t.op(backward, 1, 10, 11, {{10, 11}});
  t.op(accumulate, -1, 12, 13, {});
  t.trace.ops.back().thread = main_thread;
  t.kernel({13, 15}, 12.5, autograd);
  t.op(accumulate, -1, 20, 21, {{20, 21}});
  const StepTimes s = t.measure().front();
  CHECK(s.backward() == 20);
  REQUIRE(s.layers.size() == 1);
  CHECK(s.layers[0].backward.busy == 4);
}

TEST_CASE("a composite operator's parts are one layer") {
  TraceMaker t;
  t.annotation("ProfilerStep#1", 0, 100);
  t.op(composite, -1, 1, 5, {}, "aten::linear");
  t.op(forward, 7, 2, 3, {}, "aten::t");
  t.op(forward, 8, 3, 4, {{4, 6}}, "aten::addmm");
  t.op(backward, 8, 10, 11, {{11, 12}});
  t.op(accumulate, -1, 11, 12, {{12, 13}}); // bias
  t.op(backward, 7, 13, 14, {});
  t.op(accumulate, -1, 14, 15, {{15, 16}}); // weight
  const StepTimes s = t.measure().front();
  REQUIRE(s.layers.size() == 1);
  CHECK(s.layers[0].op == "aten::linear");
  CHECK(s.layers[0].gradients == 2);
  CHECK(s.layers[0].ready == 16);
}

TEST_CASE("where steps begin and end") {
  TraceMaker t;
  t.op(forward, 1, 0, 1, {});
  SECTION("forward annotations, the inner ones left out") {
    t.annotation("## forward ##", 2, 5);
    t.annotation("DistributedDataParallel.forward", 3, 4);
    t.annotation("## optimizer ##", 7, 8);
    t.annotation("## forward ##", 12, 15);
    t.op(forward, 2, 18, 20, {});
    t.trace.finish();
    const auto found = find_steps(t.trace).steps;
    REQUIRE(found.size() == 2);
    CHECK(found[0].begin == 2);
    CHECK(found[0].end == 12);
    CHECK(found[0].update_end == 8);
    CHECK(found[1].end == 20);
    CHECK(found[1].update_end == 20);
  }
  SECTION("optimizer annotations only") {
    t.annotation("Optimizer.zero_grad#SGD.zero_grad", 1, 2);
    t.annotation("Optimizer.step#SGD.step", 5, 7);
    t.annotation("Optimizer.step#SGD.step", 15, 17);
    t.trace.finish();
    const auto found = find_steps(t.trace).steps;
    REQUIRE(found.size() == 2);
    CHECK(found[0].begin == 0);
    CHECK(found[0].end == 7);
    CHECK(found[1].begin == 7);
    CHECK(found[1].end == 17);
  }
  SECTION("ProfilerStep before all others") {
    t.annotation("ProfilerStep#8", 1, 9);
    t.annotation("forward", 2, 3);
    t.trace.finish();
    const auto found = find_steps(t.trace).steps;
    REQUIRE(found.size() == 1);
    CHECK(found[0].name == "ProfilerStep#8");
  }
  SECTION("none") { CHECK_THROWS_AS(find_steps(t.trace), TraceError); }
}

TEST_CASE("a step begins when the GPU is through with the one before") {
  TraceMaker t;
  t.annotation("ProfilerStep#1", 1, 10);
  t.annotation("ProfilerStep#2", 10, 20);
  t.annotation("ProfilerStep#3", 50, 60); // after a pause
  t.kernel({2, 12}, 2);
  t.op(forward, 1, 11, 12, {{13, 14}});
  t.op(forward, 2, 51, 52, {{53, 54}});
  t.op(forward, 3, 1.5, 1.6, {});
  t.op(forward, 3, 3, 4, {{12, 12.5}});
  const auto steps = t.measure();
  REQUIRE(steps.size() == 3);
  CHECK(steps[0].begin == 1);
  CHECK(steps[1].begin == 12.5);
  CHECK(steps[1].before.span == 0.5);
  CHECK(steps[2].begin == 50);
}

TEST_CASE("the median of an even number of steps is the shorter one") {
  std::vector<StepTimes> steps(4);
  const std::vector<double> durations = {3, 1, 4, 2};
  for (std::size_t i = 0; i < 4; ++i) steps[i].end = durations[i];
  CHECK(median_step(steps) == 3);
  steps.pop_back();
  CHECK(median_step(steps) == 0);
}

TEST_CASE("a step is called by its annotation's number, or counted where it has none") {
  std::vector<StepTimes> steps(2);
  steps[0].name = "ProfilerStep#7";
  steps[1].name = "ProfilerStep#8";
  TraceSteps found;
  found.found_by = "ProfilerStep#N annotations";
  CHECK(step_called("8", steps, found) == 1);
  CHECK_FALSE(step_called("1", steps, found));
  CHECK_FALSE(step_called("", steps, found));
  found.found_by = "Optimizer.step annotations";
  CHECK(step_called("1", steps, found) == 0);
  CHECK(step_called("2", steps, found) == 1);
  for (const char* wanted : {"", "0", "3", "-1", "1x", "8", "99999999999999999999"})
    CHECK_FALSE(step_called(wanted, steps, found));
}

TEST_CASE("a half-precision all-reduce is a tensor of as many elements, of half the bytes") {
  TraceMaker t = two_layers();
  const double bytes = workload_of_buckets(t.measure().front(), TraceTimes::span).bytes();
  for (TraceMessage& message : t.trace.messages) message.dtype = "Half";
  const Workload half = workload_of_buckets(t.measure().front(), TraceTimes::span);
  CHECK(half.elements() == 400);
  CHECK(half.element() == Element::fp16);
  CHECK(half.bytes() == bytes / 2);
  TraceMaker unknown = two_layers();
  for (TraceMessage& message : unknown.trace.messages) message.elements = -1;
  CHECK_THROWS_WITH(workload_of_buckets(unknown.measure().front(), TraceTimes::span),
                    Catch::Contains("does not record the size of all-reduce 0"));
}

TEST_CASE("whatever kernels do, spans tile the step and busy is the time with a kernel running") {
  REQUIRE(rc::check("spans tile", [] {
    TraceMaker t;
    t.annotation("ProfilerStep#1", 0, 1000);
    const auto count = *rc::gen::inRange(1, 12);
    const auto random = [] { return 0.5 * *rc::gen::inRange(0, 20); };
    double at = 1;
    for (const bool back : {false, true})
      for (int i = 0; i < count; ++i) {
        const double begin = at + random();
        t.op(back ? backward : forward, back ? count - 1 - i : i, at, at + 0.5, {{begin, begin + random()}});
        if (back && *rc::gen::arbitrary<bool>()) {
          t.op(accumulate, -1, at + 0.5, at + 1, {{begin, begin + random()}});
          if (*rc::gen::arbitrary<bool>()) t.all_reduce(at + 0.75, 10, {begin, begin + random()});
        }
        at += 1;
      }
    if (*rc::gen::arbitrary<bool>()) t.kernel({at + random(), at + 20}, at);
    const StepTimes s = t.measure().front();
    const double sum =
        s.before.span + s.forward() + s.backward() + (s.communication_end - s.backward_end) + s.update.span;
    RC_ASSERT(sum == s.end - s.begin); // halves: exact
    double busy = s.before.busy + s.after_forward.busy + s.loss_backward.busy + s.update.busy;
    for (const TraceLayer& layer : s.layers) {
      RC_ASSERT(layer.forward.busy >= 0 && layer.backward.busy >= 0);
      busy += layer.forward.busy + layer.backward.busy;
    }
    RC_ASSERT(busy == time_with_kernels(t.trace));
  }));
}

TEST_CASE("traces of one job are of different ranks, as many of them, and exchange the same") {
  CHECK(contradictions({{"a", 0, 4}, {"b", 1, 4}, {"c", -1, 0}, {"d", -1, 0}}).empty());
  const auto found = contradictions({{"a", 0, 4}, {"b", 0, 4}, {"c", 1, 8}});
  REQUIRE(found.size() == 2);
  CHECK(found[0] ==
        std::pair(std::size_t{1}, std::string("this trace is of rank 0, and so is a: give one trace for each rank")));
  CHECK(found[1] ==
        std::pair(std::size_t{2},
                  std::string("this trace is of a job of 8 ranks, but a is of a job of 4: give traces of one job")));
  Workload one;
  one.layers.resize(1);
  one.layers[0].name = "bucket0";
  one.layers[0].tensors.push_back({"bucket0", 1000, Element::bf16});
  Workload other = one;
  other.layers[0].backward = 2;
  CHECK(slowest_workload({one, other}, {"a", "b"}).layers[0].backward == 2);
  other.layers[0].tensors[0].elements = 1500;
  CHECK_THROWS_WITH(slowest_workload({one, other}, {"a", "b"}),
                    "a exchanges 1000 elements of bf16 in bucket0, but b 1500 elements of bf16: all ranks of a job "
                    "must exchange the same tensors");
}
