#include "analysis/run/forms/closed_form.hpp"

#include "analysis/run/forms/closed_form_exchange.hpp"
#include "base/human.hpp"
#include "models/forms/form_overlap.hpp"
#include "platforms/code/changes.hpp"
#include "platforms/code/traffic.hpp"
#include "scenarios/language/types/scenario.hpp"
#include "sim/jobs.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <set>

namespace gradflight {

bool ClosedForm::all_hold() const {
  return std::all_of(assumptions.begin(), assumptions.end(), [](const Assumption& a) { return a.holds; });
}

std::vector<Assumption> ClosedForm::failed() const {
  std::vector<Assumption> failed;
  std::copy_if(assumptions.begin(), assumptions.end(), std::back_inserter(failed),
               [](const Assumption& a) { return !a.holds; });
  return failed;
}

std::string ClosedForm::cause() const {
  std::string joined;
  for (const Assumption& assumption : failed()) joined += (joined.empty() ? "" : "; ") + assumption.sentence();
  return joined;
}

namespace {

FormTerms terms_of(const Moment& m) { return {m.time, m.alpha, m.beta, m.gamma, m.compute, m.other}; }

/// Whether costs of a hook may run during the computation. Chunks are chosen after the computation.
bool may_overlap_compute(CostHook hook) { return hook != CostHook::iteration && hook != CostHook::selection; }

/// Returns one iteration of the phase with exchanges of the given cost.
IterationShape iteration_shape(const PhaseLayout& layout, const ExchangeForm& form,
                               const std::function<Moment(const Load&)>& exchange) {
  const TrainingSpec& training = layout.training;
  const Workload& workload = layout.scenario.workload;
  const double slowness = 1 / slowest_speed(layout, worker_places(layout));
  const double forward = workload.forward() * slowness, backward = workload.backward() * slowness;
  const Moment before = iteration_costs(layout);
  IterationShape shape;
  shape.compute = before + Moment::computing(training.accumulation * (forward + backward));
  shape.local_update = Moment::computing(workload.update * slowness);
  // Parameter servers update their shards during the exchange.
  if (!has_servers(training.exchange)) shape.update = shape.local_update;

  // A layer's gradients are ready when the backward pass of the last mini-batch has reached the layer.
  std::vector<double> down_to(workload.layers.size());
  double passed = training.accumulation * forward + (training.accumulation - 1) * backward;
  for (std::size_t layer = workload.layers.size(); layer-- > 0;)
    down_to[layer] = passed += workload.layers[layer].backward * slowness;
  const bool early = training.overlap.kind != OverlapKind::none;
  for (std::size_t b = 0; b < layout.buckets.size(); ++b) {
    const Bucket& bucket = layout.buckets[b];
    const auto n = static_cast<double>(bucket.elements);
    const Moment ready =
        early ? before + Moment::computing(down_to[static_cast<std::size_t>(bucket.ready_layer)]) : shape.compute;
    const Moment exchanged = exchange(layout.load(b, form.cuts));
    if (bucket.norms) {
      shape.exchanges.push_back(
          {ready, host_costs(training, CostHook::selection, layout.elements, n, layout.scenario.workload.bytes()) +
                      exchanged});
      continue;
    }
    shape.exchanges.push_back(
        {ready, host_costs(training, CostHook::before_exchange, n, bucket.tensors, bucket.bytes()) + exchanged +
                    host_costs(training, CostHook::after_exchange, n, bucket.tensors, bucket.bytes())});
  }
  return shape;
}

int depth(const TrainingSpec& training) {
  return training.overlap.kind == OverlapKind::pipelined ? training.overlap.k : 1;
}

Moment run_time(const PhaseLayout& layout, const ExchangeForm& form,
                const std::function<Moment(const Load&)>& exchange) {
  const TrainingSpec& training = layout.training;
  if (form.run) return form.run();
  return training_run(training.iterations, depth(training), training.every, iteration_shape(layout, form, exchange));
}

/// Pipe-SGD Eq. 5 (whole model) and 6 (segments) without synchronisation: T max(update + compute, communication).
Moment pipeline_as_printed(const PhaseLayout& layout, const ExchangeForm& form) {
  const IterationShape shape = iteration_shape(layout, form, form.cost);
  Moment communication;
  for (const ReadyExchange& bucket : shape.exchanges) communication = communication + bucket.cost;
  return static_cast<double>(layout.training.iterations) * later(shape.update + shape.compute, communication);
}

Assumption equally_fast(const PhaseLayout& layout) {
  const Place& first = layout.platform.place(layout.place(0));
  for (int w = 1; w < layout.workers; ++w) {
    const Place& at = layout.platform.place(layout.place(w));
    if (at.compute_speed == first.compute_speed) continue;
    return {AssumptionId::compute_alike, "all ranks compute equally fast", false,
            fmt::format("node {} has speed {:.6g}, node {} {:.6g}", at.node, at.compute_speed, first.node,
                        first.compute_speed)};
  }
  return {AssumptionId::compute_alike, "all ranks compute equally fast", true, {}};
}

/// The form excludes costs that wait for the computation, or for costs of another iteration.
Assumption no_competition(const PhaseLayout& layout) {
  const TrainingSpec& training = layout.training;
  const std::string text = "no host cost competes with compute";
  if (training.overlap.kind == OverlapKind::none) return {AssumptionId::no_host_competition, text, true, {}};
  const CompressionSpec& codec = training.compression;
  if (codec.in_software() && codec.placement == CodecPlacement::gpu &&
      (codec.encode_bandwidth || codec.decode_bandwidth))
    return {AssumptionId::no_host_competition, text, false, "the codec runs on the GPU while it computes"};
  for (const CostSpec& cost : training.costs) {
    if (codec.placement == CodecPlacement::cpu && cost.at == CostHook::iteration && cost.on == CostResource::cpu)
      return {AssumptionId::no_host_competition, text, false, fmt::format("'{}' and the codec use one CPU", cost.name)};
    if (!may_overlap_compute(cost.at)) continue;
    if (cost.on == CostResource::gpu)
      return {AssumptionId::no_host_competition, text, false,
              fmt::format("'{}' runs on the GPU while it computes", cost.name)};
    for (const CostSpec& other : training.costs)
      if (depth(training) > 1 && other.at == CostHook::iteration && other.on == cost.on)
        return {AssumptionId::no_host_competition, text, false,
                fmt::format("'{}' and '{}' use one resource", cost.name, other.name)};
  }
  return {AssumptionId::no_host_competition, text, true, {}};
}

/// Whether messages are in transit while layers compute.
bool messages_overlap_passes(const TrainingSpec& training) {
  if (training.overlap.kind != OverlapKind::none) return true;
  const ExchangeSpec& x = training.exchange;
  return is_sharded(x) && (x.sharded.stage == 3 ? x.sharded.prefetch > 0 : x.pull_at == PullAt::first_use);
}

void add_run_assumptions(std::vector<Assumption>& assumptions, const PhaseLayout& layout) {
  const TrainingSpec& training = layout.training;
  assumptions.push_back(equally_fast(layout));
  if (const auto& jitter = layout.scenario.platform.jitter)
    assumptions.push_back(
        {AssumptionId::compute_steady, "compute takes the same time on every rank and in every iteration", false,
         fmt::format("platform.jitter varies it by {:.6g}, and all ranks wait for the slowest", jitter->cv)});
  if (const auto& rate = layout.scenario.platform.rate_while_computing; rate && *rate < 1)
    assumptions.push_back(
        assume(AssumptionId::rate_beside_compute, "messages beside compute are as fast as without it",
               !messages_overlap_passes(training),
               fmt::format("platform.rate_while_computing reduces it to {:.6g} of its speed", *rate)));
  if (const auto& beside = layout.scenario.platform.message_bytes;
      beside && beside->value() > 0 && training.compression.in_nic())
    assumptions.push_back({AssumptionId::data_only, "messages through compressing NICs carry only data", false,
                           fmt::format("platform.message_bytes adds {:.6g} B to each", beside->value())});
  assumptions.push_back(assume(AssumptionId::one_stream, "one communication stream",
                               training.streams == 1 || layout.buckets.size() == 1,
                               fmt::format("{} streams share the links", training.streams)));
  assumptions.push_back(no_competition(layout));
  if (layout.scenario.platform.protocol)
    assumptions.push_back(assume(
        AssumptionId::no_protocol, "a message costs only alpha and its bytes", false,
        "platform.protocol: the form includes framing, but not rendezvous, acknowledgements, bursts and send buffers"));
  if (const auto& seat = layout.scenario.seat; seat && seat->several)
    assumptions.push_back(
        assume(AssumptionId::links_own, "no other job shares its links", seat->shared.empty(), seat->shared));
  const CompressionSpec& compression = training.compression;
  if (training.selection) {
    const bool even = compression.tensors.directory.empty() || training.selection->share == 1 ||
                      (training.overlap.kind == OverlapKind::none &&
                       layout.scenario.workload.elements() % training.selection->chunk_elements == 0);
    assumptions.push_back(assume(
        AssumptionId::chunks_even, "the chosen chunks are spread evenly over the model, or their places have no effect",
        even,
        "real gradients determine them, so their ready times and the length of the last one change from step to step"));
  }
  const bool weighed = !compression.tensors.directory.empty() && (compression.codec || sends_lists(training.exchange));
  if (weighed)
    assumptions.push_back(
        assume(AssumptionId::weight_known, "the wire bytes of a message are known beforehand", false,
               "it depends on real tensors; the form counts dense tensors, and 8 bytes per top-k entry"));
}

std::string run_formula(const TrainingSpec& training) {
  if (training.overlap.kind == OverlapKind::layerwise)
    return "; end_b = max(end_(b-1), ready_b) + c_b, iteration = max(end_last, compute) + update";
  if (training.overlap.kind == OverlapKind::pipelined)
    return fmt::format(
        "; two threads with K = {}: update and compute i after exchange i-{}, exchange i after compute i and "
        "exchange i-1",
        training.overlap.k, training.overlap.k);
  return "";
}

std::string overlap_suffix(const TrainingSpec& training) {
  switch (training.overlap.kind) {
  case OverlapKind::none: return "";
  case OverlapKind::layerwise: return "+layerwise";
  case OverlapKind::pipelined: return "+pipelined";
  }
  return "";
}

/// An assumption of several phases holds if it holds in all of them.
void merge(std::vector<Assumption>& all, std::vector<Assumption> more, const std::string& phase) {
  for (Assumption& assumption : more) {
    if (!assumption.holds && !phase.empty())
      assumption.detail = fmt::format("phase '{}': {}", phase, assumption.detail);
    const auto same =
        std::find_if(all.begin(), all.end(), [&](const Assumption& a) { return a.text == assumption.text; });
    if (same == all.end())
      all.push_back(std::move(assumption));
    else if (same->holds)
      *same = std::move(assumption);
  }
}

bool has_pipeline_form(const PhaseLayout& layout) {
  const TrainingSpec& training = layout.training;
  const Granularity::Kind kind = training.granularity.kind;
  return depth(training) > 1 && collective(training.exchange.algorithm).round_ring && training.every == 1 &&
         (kind == Granularity::Kind::model || kind == Granularity::Kind::segments);
}

double own_value(const PlatformChange& change, const Platform& platform) {
  switch (change.what) {
  case PlatformChange::What::bandwidth: return platform.link(change.target).bandwidth;
  case PlatformChange::What::latency: return platform.link(change.target).latency;
  case PlatformChange::What::compute_speed:
    return platform.places()[static_cast<std::size_t>(change.target)].compute_speed;
  case PlatformChange::What::link_state:
  case PlatformChange::What::place_state: break;
  }
  return 1;
}

double start_of(const Scenario& scenario) { return scenario.seat ? scenario.seat->start : 0; }

/// Flows that end before the job starts, or start at the form's own end, are beside neither.
void add_traffic(std::vector<Assumption>& assumptions, const Scenario& scenario, double time) {
  if (scenario.traffic.empty()) return;
  const double start = start_of(scenario), end = start + time;
  std::vector<const TrafficSpec*> beside;
  for (const TrafficSpec& entry : scenario.traffic) {
    const bool over = !entry.sized() && entry.stop && entry.stop->value() <= start;
    if (!over && entry.start.value() < end) beside.push_back(&entry);
  }
  std::string detail;
  if (!beside.empty())
    detail = fmt::format("the flow {} from {} to {}{} takes its share of the links", beside.front()->name,
                         end_text(beside.front()->from), end_text(beside.front()->to),
                         beside.size() > 1 ? fmt::format(" and {} more", beside.size() - 1) : "");
  assumptions.push_back(assume(AssumptionId::no_traffic, "no other traffic uses the network", beside.empty(), detail));
}

/// A change before the form's own end makes the form wrong, even if all other assumptions hold. So does one before a
/// job's start that is in force then.
void add_changes(std::vector<Assumption>& assumptions, const Scenario& scenario, const Platform& platform,
                 double time) {
  if (scenario.changes.empty()) return;
  const double start = start_of(scenario), end = std::nextafter(start + time, 0);
  std::vector<PlatformError> errors;
  const auto changes = find_changes(scenario.changes, scenario.platform, platform, errors);
  using Dated = std::pair<double, const PlatformChange*>;
  std::vector<Dated> within, effective;
  std::map<std::pair<PlatformChange::What, std::int32_t>, Dated> latest; // of each target, in force at the start
  for (const PlatformChange& change : changes) {
    const double last = change.times().last_round(start), later = change.times().last_round(end);
    if (start > 0 && last >= 0) {
      Dated& now = latest[{change.what, change.target}];
      if (now.second == nullptr || change.times().time(last) >= now.first) now = {change.times().time(last), &change};
    }
    if (later > (start > 0 ? last : -1)) within.emplace_back(change.times().time(start > 0 ? last + 1 : 0), &change);
  }
  for (const auto& [target, now] : latest)
    if (now.second->value != own_value(*now.second, platform)) effective.push_back(now);
  std::ranges::stable_sort(within, {}, &Dated::first);
  std::set<std::pair<PlatformChange::What, std::int32_t>> altered;
  for (const Dated& dated : within) {
    const PlatformChange& change = *dated.second;
    const std::pair target(change.what, change.target);
    const auto now = latest.find(target);
    const double value = now != latest.end() ? now->second.second->value : own_value(change, platform);
    if (change.value != value) altered.insert(target);
    if (altered.contains(target)) effective.push_back(dated);
  }
  std::ranges::stable_sort(effective, {}, &Dated::first);
  std::string detail;
  if (!effective.empty())
    detail = fmt::format("{} changed at {}{}", changed_thing(*effective.front().second, platform),
                         human_seconds(effective.front().first),
                         effective.size() > 1 ? fmt::format(", and {} more", effective.size() - 1) : "");
  assumptions.push_back(assume(AssumptionId::no_changes, "nothing changes before the end", effective.empty(), detail));
}

bool finite(const FormTerms& t) {
  const auto all = {t.time, t.alpha, t.beta, t.gamma, t.compute, t.other};
  return std::ranges::all_of(all, [](double term) { return std::isfinite(term); });
}

} // namespace

ClosedFormAnswer closed_form(const Scenario& scenario, const Platform& platform) {
  if (!scenario.jobs.empty()) {
    if (scenario.jobs.size() > 1) return {std::nullopt, "no closed form: each job has its own, for its time alone"};
    if (scenario.jobs.front().start.value() > 0)
      return {std::nullopt, "no closed form: its only job does not begin at 0 s"};
    return closed_form(job_scenarios(scenario).front(), platform);
  }
  if (scenario.queue) return {std::nullopt, "no closed form: the scenario is a list of jobs that wait for each other"};
  ClosedForm form;
  Moment total, printed;
  for (const Phase& phase : scenario.phases) {
    const PhaseLayout layout(scenario, phase, platform);
    ExchangeFormAnswer answer = exchange_form(layout);
    if (!answer.form) return {std::nullopt, answer.why_none};
    const bool main = &phase == &scenario.phases.back();
    ExchangeForm& exchange = *answer.form;
    const Moment time = run_time(layout, exchange, exchange.cost);
    const bool pipeline = main && scenario.phases.size() == 1 && has_pipeline_form(layout);
    total = total + time;
    printed = printed + (exchange.printed ? run_time(layout, exchange, exchange.printed)
                                          : (pipeline ? pipeline_as_printed(layout, exchange) : time));
    add_run_assumptions(exchange.assumptions, layout);
    merge(form.assumptions, std::move(exchange.assumptions), scenario.phases.size() > 1 ? phase.name : "");
    if (!main) continue;
    form.name = exchange.name + overlap_suffix(layout.training);
    form.formula = exchange.formula + (exchange.run ? "" : run_formula(layout.training));
    form.source = exchange.source;
    if (exchange.printed)
      form.paper = PaperForm{exchange.printed_name, exchange.printed_source, exchange.printed_why, {}};
    else if (pipeline && layout.training.granularity.kind == Granularity::Kind::model)
      form.paper = PaperForm{"pipe_sgd_sequential",
                             "Pipe-SGD Eq. 5 (reconstructed): T max(l_up + l_for + l_back, ring)",
                             "it counts neither the fill nor the drain of the pipeline",
                             {}};
    else if (pipeline)
      form.paper =
          PaperForm{"pipe_sgd_segmented",
                    "Pipe-SGD Eq. 6 (reconstructed): T max(l_up + l_for + l_back, sum of rings)",
                    "it counts neither the fill nor the drain of the pipeline, nor the first segment's backward pass",
                    {}};
  }
  form.terms = terms_of(total);
  add_traffic(form.assumptions, scenario, form.terms.time);
  add_changes(form.assumptions, scenario, platform, form.terms.time);
  if (scenario.failures)
    form.assumptions.push_back(
        assume(AssumptionId::no_failures, "nothing fails", false, "failures are drawn (failures)"));
  if (!finite(form.terms)) return {std::nullopt, "no closed form: its time exceeds 1.8e+308 s, the largest double"};
  if (form.paper) form.paper->terms = terms_of(printed);
  if (form.paper && !finite(form.paper->terms)) form.paper.reset();
  return {std::move(form), {}};
}

} // namespace gradflight
