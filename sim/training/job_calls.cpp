#include "sim/training/job_calls.hpp"

#include "base/human.hpp"
#include "models/schedules/parts/collective.hpp"
#include "models/schedules/written/written_schedule.hpp"
#include "platforms/code/platform.hpp"
#include "scenarios/language/types/scenario.hpp"
#include "sim/group/plain_group.hpp"
#include "sim/training/bucket_layout.hpp"
#include "sim/training/rank_layout.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>

namespace gradflight {

namespace {

LibraryRanks ranks_of(const Scenario& scenario) {
  const int gpus = scenario.platform.gpus_per_node;
  return {scenario.seat ? scenario.workers() / gpus : scenario.platform.nodes, gpus};
}

/// A library's tables need whole nodes, with the GPUs as ranks in their order.
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

std::vector<std::int32_t> rank_places(const Scenario& scenario) {
  std::vector<std::int32_t> places;
  for (int rank = 0; rank < scenario.workers(); ++rank) places.push_back(worker_place(scenario, rank));
  return places;
}

/// The call of a rank that is alone.
LibraryCall nothing_to_do() {
  LibraryCall call;
  GroupSpec spec;
  spec.elements = 1;
  call.schedule = make_group_schedule(*group_collective("ring"), spec);
  call.algorithm = "none";
  call.why = "one rank";
  return call;
}

std::vector<Operation> operations_of(const ExchangeSpec& exchange) {
  if (is_sharded(exchange)) return {Operation::reduce_scatter, Operation::all_gather};
  return {Operation::all_reduce};
}

/// Makes the calls of one exchange.
class Caller {
public:
  Caller(const Scenario& scenario, const Platform& platform, const ExchangeSpec& exchange)
      : row_(*caller_of(exchange)), written_(exchange.written), platform_(platform), ranks_(scenario.workers()),
        group_size_(scenario.platform.gpus_per_node), places_(rank_places(scenario)) {
    if (ranks_ > 1 && by_library(row_))
      library_.emplace(library_named(row_.name).value(), LibrarySettings{}, scenario.platform, ranks_of(scenario));
  }
  [[nodiscard]] LibraryCall call(Operation op, std::int64_t elements, double element_size) const {
    if (ranks_ < 2) return nothing_to_do();
    if (library_) return library_->call(op, elements, element_size);
    LibraryCall call;
    call.algorithm = row_.name;
    call.why = "as requested";
    if (written_) {
      call.schedule = make_written_schedule(written_, elements);
      return call;
    }
    const FormLinks links = links_between(platform_, places_, element_size);
    GroupSpec spec = plain_spec(row_, op, elements, ranks_, group_size_, links);
    call.schedule = make_group_schedule(row_, spec);
    call.plain = PlainChoice{&row_, spec};
    return call;
  }
  /// Returns the places of `count` switch members: a library's are the NVSwitches of its nodes, in the members' order.
  [[nodiscard]] std::vector<std::int32_t> switch_places(int count, bool by_rank) const {
    std::vector<std::int32_t> switches;
    for (int i = 0; i < count; ++i) {
      const int member = i * group_size_;
      const int place = by_rank ? places_[static_cast<std::size_t>(member)] : member;
      const auto found =
          library_ ? platform_.nvswitch_place(platform_.place(place).node) : reducing_switch(platform_, places_);
      switches.push_back(found.value());
    }
    return switches;
  }

private:
  const Collective& row_;
  std::shared_ptr<const WrittenSchedule> written_; ///< null unless the schedule comes from a file
  const Platform& platform_;
  int ranks_, group_size_;
  std::vector<std::int32_t> places_;
  std::optional<Library> library_;
};

} // namespace

JobCalls::JobCalls(const Scenario& scenario, const Platform& platform, const TrainingSpec& training,
                   const std::vector<Bucket>& buckets) {
  const int p = scenario.workers();
  const Caller caller(scenario, platform, training.exchange);
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
    calls.push_back({op, elements, bytes, {bucket}, caller.call(op, elements, size)});
    return static_cast<int>(calls.size()) - 1;
  };
  for (int b = 0; b < static_cast<int>(buckets.size()); ++b) {
    std::array<int, 2>& of = of_bucket.emplace_back();
    const std::vector<Operation> operations = operations_of(training.exchange);
    of[0] = number_of(operations.front(), b);
    of[1] = operations.size() > 1 ? number_of(operations.back(), b) : of[0];
  }
  int switches = 0;
  for (const Call& call : calls) {
    lanes = std::max(lanes, call.library_call.schedule->lanes());
    switches = std::max(switches, call.library_call.switches());
  }
  by_rank = scenario.seat || !by_library(*caller_of(training.exchange));
  switch_places = caller.switch_places(switches, by_rank);
}

bool JobCalls::relayed() const {
  return std::ranges::any_of(calls, [](const Call& call) { return call.library_call.schedule->relayed(); });
}

bool JobCalls::has_own_nics(const std::vector<std::vector<int>>& nics_of_gpus) const {
  const auto other_nic = [&](const GroupSchedule& schedule, int lane, int rank) {
    const int nic = schedule.nic(lane, rank);
    return nic != any_nic && nics_of_gpus[static_cast<std::size_t>(rank) % nics_of_gpus.size()] != std::vector{nic};
  };
  return std::ranges::any_of(calls, [&](const Call& call) {
    const GroupSchedule& schedule = *call.library_call.schedule;
    for (int lane = 0; lane < schedule.lanes(); ++lane)
      for (int rank = 0; rank < schedule.ranks(); ++rank)
        if (other_nic(schedule, lane, rank)) return true;
    return false;
  });
}

std::vector<JobCalls::Call> largest_calls(const Scenario& scenario, const TrainingSpec& training,
                                          const Platform& platform) {
  const Collective* caller = caller_of(training.exchange);
  if (caller == nullptr || !by_library(*caller) || scenario.queue) return {};
  JobCalls calls(scenario, platform, training, exchange_buckets(scenario.workload, training));
  std::ranges::stable_sort(calls.calls, std::greater<>(), &JobCalls::Call::bytes);
  return std::move(calls.calls);
}

std::string choice_text(const LibraryCall& call) {
  std::string text = call.algorithm;
  if (!call.protocol.empty()) text += " " + call.protocol;
  if (call.channels > 0) text += ", " + counted(call.channels, "channel");
  return text;
}

std::string call_text(const JobCalls::Call& call) {
  return fmt::format("{} of {:.0f} B, {}: {}; {}", operation_name(call.op), call.bytes,
                     counted(std::ssize(call.buckets), "bucket"), choice_text(call.library_call),
                     call.library_call.why);
}

namespace {

/// Returns what a row's all_reduce cannot do in this job.
std::string plain_problem(const Collective& algorithm, const Scenario& scenario, const Platform& platform) {
  if (std::string why = cannot(algorithm, Operation::all_reduce, platform, rank_places(scenario)); !why.empty())
    return why;
  const int gpus = scenario.platform.gpus_per_node;
  if (!algorithm.group.groups || gpus == 1) return {};
  if (!scenario.seat && scenario.placement != Placement::linear)
    return fmt::format("{} needs consecutive ranks on each node: set placement to \"linear\"", algorithm.name);
  if (scenario.seat && !has_whole_nodes(scenario))
    return fmt::format("{} needs a job of whole nodes, with its ranks in the order of their GPUs: use placement "
                       "\"packed\" and a multiple of {} GPUs",
                       algorithm.name, gpus);
  return {};
}

} // namespace

std::vector<CallProblem> call_problems(const Scenario& scenario, const Platform& platform) {
  std::vector<CallProblem> found;
  for (std::size_t i = 0; i < scenario.phases.size(); ++i) {
    const TrainingSpec& training = scenario.phases[i].training;
    const Collective* caller = caller_of(training.exchange);
    if (caller == nullptr || scenario.workers() < 2) continue;
    const std::string exchange = i + 1 == scenario.phases.size() ? std::string("/training/exchange")
                                                                 : fmt::format("/training/warmup/{}/exchange", i);
    const std::string at = exchange + (is_sharded(training.exchange) ? "/library" : "/algorithm");
    if (by_file(*caller)) continue;
    if (!by_library(*caller)) {
      if (std::string why = plain_problem(*caller, scenario, platform); !why.empty())
        found.push_back({at, std::move(why)});
      continue;
    }
    if (scenario.seat && !has_whole_nodes(scenario)) {
      found.push_back({at, fmt::format("calls of {} need a job of whole nodes, with its ranks in the order of their "
                                       "GPUs: use placement \"packed\" and a multiple of {} GPUs",
                                       caller->name, scenario.platform.gpus_per_node)});
      continue;
    }
    const LibraryName name = library_named(caller->name).value();
    for (std::string& mistake : library_mistakes(name, {}, scenario.platform, ranks_of(scenario)))
      found.push_back({at, std::move(mistake)});
    if (!found.empty()) continue;
    const Library made(name, {}, scenario.platform, ranks_of(scenario));
    for (const Operation op : operations_of(training.exchange))
      if (std::string why = made.refused(op); !why.empty()) found.push_back({at, std::move(why)});
    if (!found.empty() || scenario.engine.kind != EngineKind::simgrid) continue;
    const JobCalls calls(scenario, platform, training, exchange_buckets(scenario.workload, training));
    if (calls.relayed() || (scenario.platform.node && calls.has_own_nics(nics_of_gpus(*scenario.platform.node))))
      found.push_back({at, fmt::format("the reference engine cannot send messages of {} through another GPU's NIC "
                                       "(PXN) or through one of several NICs of a GPU: use engine \"hybrid\"",
                                       caller->name)});
  }
  return found;
}

} // namespace gradflight
