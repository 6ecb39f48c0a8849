// Shared code of the families of exchange forms: the layout of a phase, and assumptions about links and ranks.
#include "analysis/run/forms/closed_form_exchange.hpp"
#include "base/human.hpp"
#include "platforms/code/platform.hpp"
#include "scenarios/language/types/scenario.hpp"

#include "models/schedules/make_schedule.hpp"
#include "sim/training/bucket_layout.hpp"
#include "sim/training/rank_layout.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <stdexcept>

namespace gradflight {

PhaseLayout::PhaseLayout(const Scenario& s, const Phase& phase, const Platform& p)
    : scenario(s), training(phase.training), platform(p), workers(s.workers()),
      elements(static_cast<double>(s.workload.elements())), buckets(exchange_buckets(s.workload, phase.training)),
      weight(s.workload, buckets, phase.training.compression),
      single_exchange(buckets.size() == 1 && training.iterations / training.every <= 1) {}

Load PhaseLayout::load(std::size_t bucket, int cuts) const {
  const std::int64_t n = buckets[bucket].elements;
  const int width = buckets[bucket].width();
  if (weight.even()) return {n, weight.ratio(static_cast<int>(bucket)), width};
  const double dense = dense_bytes(Blocks(n, cuts).range(0).count, width);
  return {n, dense / weight.heaviest_block(static_cast<int>(bucket), cuts), width};
}

double PhaseLayout::beside_data(double seconds_per_byte) const {
  const auto& bytes = scenario.platform.message_bytes;
  return bytes ? bytes->value() * seconds_per_byte : 0;
}

int PhaseLayout::place(int worker) const { return worker_place(scenario, worker); }
int PhaseLayout::helper_place(int helper) const { return gradflight::helper_place(scenario, platform, helper); }

namespace {

/// Visitor for the form of a catalogue row, by its kind.
struct FormOf {
  const PhaseLayout& layout;

  ExchangeFormAnswer operator()(const NoForm&) const { throw std::logic_error("this algorithm has no closed form"); }
  ExchangeFormAnswer operator()(const StepsForm* recipe) const { return {steps_form(layout, *recipe), {}}; }
  ExchangeFormAnswer operator()(ServersForm) const { return parameter_server_form(layout); }
  ExchangeFormAnswer operator()(GroupsForm) const { return {hierarchical_form(layout), {}}; }
  ExchangeFormAnswer operator()(ShardedForm) const { return {sharded_form(layout), {}}; }
  ExchangeFormAnswer operator()(CallForm) const { return call_form(layout); }
};

} // namespace

ExchangeFormAnswer exchange_form(const PhaseLayout& layout) {
  if (std::string none = missing_form(layout.training.exchange, layout.workers); !none.empty())
    return {std::nullopt, std::move(none)};
  return std::visit(FormOf{layout}, collective(layout.training.exchange.algorithm).form);
}

Assumption links_alike(const RouteSurvey& survey, const std::string& which) {
  return assume(AssumptionId::links_alike, which + " alike", survey.alike(), survey.unlike());
}

Assumption links_exclusive(const RouteSurvey& survey, const std::string& which) {
  return assume(AssumptionId::links_exclusive, "no " + which + " carries two messages at once", survey.exclusive(),
                survey.shared());
}

Assumption links_ordered(const RouteSurvey& survey) {
  return assume(AssumptionId::links_ordered, "ranks that run ahead share no link with others", survey.ordered(),
                survey.crossed());
}

Assumption divisible(const PhaseLayout& layout, int divisor, const std::string& symbol, bool single_suffices) {
  const std::string text = fmt::format("n divisible by {}", symbol);
  if (single_suffices && layout.single_exchange)
    return {AssumptionId::divisible, text + ", or a single exchange", true, {}};
  for (const Bucket& bucket : layout.buckets) {
    if (bucket.elements % divisor == 0) continue;
    return {AssumptionId::divisible, text, false,
            fmt::format("'{}' has {} elements, {} is {}", bucket.name, bucket.elements, symbol, divisor)};
  }
  return {AssumptionId::divisible, text, true, {}};
}

std::vector<Assumption> blocks_weigh_alike(const PhaseLayout& layout, int cuts) {
  if (layout.weight.even() || cuts == 1) return {};
  const std::string text = "all blocks of a vector have the same wire bytes";
  for (std::size_t b = 0; b < layout.buckets.size(); ++b)
    if (!layout.weight.blocks_alike(static_cast<int>(b), cuts))
      return {{AssumptionId::blocks_weigh_alike, text, false,
               fmt::format("'{}' has tensors left out of the compression", layout.buckets[b].name)}};
  return {{AssumptionId::blocks_weigh_alike, text, true, {}}};
}

std::vector<Assumption> weighs_in_proportion(const PhaseLayout& layout) {
  if (layout.weight.even()) return {};
  const std::string text = "the wire bytes of any part of a vector are proportional to its elements";
  for (std::size_t b = 0; b < layout.buckets.size(); ++b)
    if (!layout.weight.proportional(static_cast<int>(b)))
      return {{AssumptionId::weighs_in_proportion, text, false,
               fmt::format("'{}' has tensors left out of the compression, or an overhead", layout.buckets[b].name)}};
  return {{AssumptionId::weighs_in_proportion, text, true, {}}};
}

namespace {

std::string reduction_text(double bytes_per_second) {
  return bytes_per_second > 0 ? "at " + human_byte_rate(bytes_per_second) : "in no time";
}

} // namespace

void add_no_message_costs(ExchangeForm& form, const TrainingSpec& training) {
  for (const CostSpec& cost : training.costs) {
    if (cost.at != CostHook::message_send && cost.at != CostHook::message_receive) continue;
    form.assumptions.push_back({AssumptionId::no_message_costs, "no per-message costs", false,
                                fmt::format("'{}' is not in the form", cost.name)});
  }
}

Assumption reducers_alike(const Platform& platform, std::span<const int> places) {
  for (const int place : places) {
    const Place& first = platform.place(places.front());
    const Place& at = platform.place(place);
    if (at.reduce_bandwidth == first.reduce_bandwidth) continue;
    return {AssumptionId::reducers_alike, "all ranks reduce equally fast", false,
            fmt::format("node {} reduces {}, node {} {}", at.node, reduction_text(at.reduce_bandwidth), first.node,
                        reduction_text(first.reduce_bandwidth))};
  }
  return {AssumptionId::reducers_alike, "all ranks reduce equally fast", true, {}};
}

Moment host_costs(const TrainingSpec& training, CostHook hook, double elements, double tensors, double bytes) {
  double seconds = 0;
  for (const CostSpec& cost : training.costs)
    if (cost.at == hook) seconds += cost.rates().vector_seconds(elements, tensors, bytes);
  return Moment::working(seconds);
}

Moment iteration_costs(const PhaseLayout& layout) {
  double tensors = 0;
  for (const Layer& layer : layout.scenario.workload.layers) tensors += static_cast<double>(layer.tensors.size());
  return host_costs(layout.training, CostHook::iteration, layout.elements, tensors, layout.scenario.workload.bytes());
}

double slowest_gamma(const PhaseLayout& layout, const std::vector<int>& places) {
  double gamma = 0;
  for (const int place : places) {
    const double bandwidth = layout.platform.place(place).reduce_bandwidth;
    if (bandwidth > 0) gamma = std::max(gamma, 1 / bandwidth);
  }
  return gamma;
}

double slowest_speed(const PhaseLayout& layout, const std::vector<int>& places) {
  double speed = layout.platform.place(places.front()).compute_speed;
  for (const int place : places) speed = std::min(speed, layout.platform.place(place).compute_speed);
  return speed;
}

std::vector<int> worker_places(const PhaseLayout& layout) {
  std::vector<int> places;
  places.reserve(static_cast<std::size_t>(layout.workers));
  for (int w = 0; w < layout.workers; ++w) places.push_back(layout.place(w));
  return places;
}

} // namespace gradflight
