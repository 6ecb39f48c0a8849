#include "sim/training/job_calls.hpp"

#include "models/schedules/parts/collective.hpp"
#include "scenarios/language/types/scenario.hpp"
#include "sim/training/chunk_steps.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace gradflight {

namespace {

LibraryRanks ranks_of(const Scenario& scenario) {
  const int gpus = scenario.platform.gpus_per_node;
  return {scenario.seat ? scenario.workers() / gpus : scenario.platform.nodes, gpus};
}

/// A library's tables are of whole nodes, whose GPUs are ranks in their order.
bool has_whole_nodes(const Scenario& scenario) {
  const int gpus = scenario.platform.gpus_per_node;
  const auto& own = scenario.seat->gpus;
  if (std::ssize(own) % gpus != 0) return false;
  for (std::size_t r = 0; r < own.size(); ++r) {
    const int within = static_cast<int>(r) % gpus;
    if (own[r] % gpus != within || own[r] / gpus != own[r - static_cast<std::size_t>(within)] / gpus) return false;
  }
  return true;
}

/// A rank alone, that has nobody to call.
LibraryCall nothing_to_do() {
  LibraryCall call;
  GroupSpec spec;
  spec.counts = BlockCounts::whole(1);
  call.schedule = make_group_schedule(*group_algorithm("ring"), spec);
  call.algorithm = "none";
  call.why = "one rank";
  return call;
}

std::vector<Operation> operations_of(const ExchangeSpec& exchange) {
  if (is_sharded(exchange)) return {Operation::reduce_scatter, Operation::all_gather};
  return {Operation::all_reduce};
}

} // namespace

JobCalls::JobCalls(const Collective& library, const Scenario& scenario, const TrainingSpec& training,
                   const std::vector<Bucket>& buckets) {
  const int p = scenario.workers();
  std::optional<Library> made;
  if (p > 1)
    made.emplace(library_named(library.name).value(), LibrarySettings{}, scenario.platform, ranks_of(scenario));
  const CompressionSpec& compression = training.compression;
  const auto number_of = [&](Operation op, int bucket) {
    const bool parameters = op == Operation::all_gather;
    const std::int64_t n = buckets[static_cast<std::size_t>(bucket)].elements;
    const std::int64_t elements = counts_blocks(op) ? (n + p - 1) / p * p : n;
    const double size =
        buckets[static_cast<std::size_t>(bucket)].width() / (compression.encodes(parameters) ? compression.ratio : 1);
    const double bytes = static_cast<double>(elements) * size;
    const auto same = std::ranges::find_if(
        calls, [&](const Call& c) { return c.op == op && c.elements == elements && c.bytes == bytes; });
    if (same != calls.end()) {
      same->buckets.push_back(bucket);
      return static_cast<int>(same - calls.begin());
    }
    calls.push_back({op, elements, bytes, {bucket}, made ? made->call(op, elements, size) : nothing_to_do()});
    return static_cast<int>(calls.size()) - 1;
  };
  for (int b = 0; b < static_cast<int>(buckets.size()); ++b) {
    std::array<int, 2>& of = of_bucket.emplace_back();
    const std::vector<Operation> operations = operations_of(training.exchange);
    of[0] = number_of(operations.front(), b);
    of[1] = operations.size() > 1 ? number_of(operations.back(), b) : of[0];
  }
  for (const Call& call : calls) {
    lanes = std::max(lanes, call.library_call.schedule->lanes());
    through_switch = through_switch || call.library_call.through_switch();
  }
}

bool JobCalls::relayed() const {
  return std::ranges::any_of(calls, [](const Call& call) { return call.library_call.schedule->relayed(); });
}

std::string call_text(const JobCalls::Call& call) {
  const LibraryCall& made = call.library_call;
  std::string text = fmt::format("{} of {:.0f} B, {} bucket{}: {}", operation_name(call.op), call.bytes,
                                 call.buckets.size(), call.buckets.size() == 1 ? "" : "s", made.algorithm);
  if (!made.protocol.empty()) text += " " + made.protocol;
  if (made.channels > 0) text += fmt::format(", {} channel{}", made.channels, made.channels == 1 ? "" : "s");
  return text + "; " + made.why;
}

std::vector<LibraryProblem> library_problems(const Scenario& scenario) {
  std::vector<LibraryProblem> found;
  for (std::size_t i = 0; i < scenario.phases.size(); ++i) {
    const TrainingSpec& training = scenario.phases[i].training;
    const Collective* library = library_of(training.exchange);
    if (library == nullptr || scenario.workers() < 2) continue;
    const std::string exchange = i + 1 == scenario.phases.size() ? std::string("/training/exchange")
                                                                 : fmt::format("/training/warmup/{}/exchange", i);
    const std::string at = exchange + (is_sharded(training.exchange) ? "/library" : "/algorithm");
    if (scenario.seat && !has_whole_nodes(scenario)) {
      found.push_back({at, fmt::format("calls of {} need a job that has whole nodes, with its ranks in the order of "
                                       "their GPUs: placement \"packed\" and a multiple of {} GPUs",
                                       library->name, scenario.platform.gpus_per_node)});
      continue;
    }
    const LibraryName name = library_named(library->name).value();
    for (std::string& mistake : library_mistakes(name, {}, scenario.platform, ranks_of(scenario)))
      found.push_back({at, std::move(mistake)});
    if (!found.empty()) continue;
    const Library made(name, {}, scenario.platform, ranks_of(scenario));
    for (const Operation op : operations_of(training.exchange))
      if (std::string why = made.refused(op); !why.empty()) found.push_back({at, std::move(why)});
    if (!found.empty() || scenario.engine.kind != EngineKind::simgrid) continue;
    if (JobCalls(*library, scenario, training, exchange_buckets(scenario.workload, training)).relayed())
      found.push_back(
          {at, fmt::format("messages of {} go by way of another GPU's NIC (PXN), and the reference engine's "
                           "go straight: use engine \"hybrid\"",
                           library->name)});
  }
  return found;
}

} // namespace gradflight
