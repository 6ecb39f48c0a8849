#include "scenarios/language/decode/checks_calls.hpp"

#include "models/schedules/parts/collective.hpp"
#include "models/schedules/written/written_schedule.hpp"
#include "scenarios/language/types/scenario.hpp"

#include <fmt/format.h>

namespace gradflight {

namespace {

/// A schedule from a file is of one operation and one number of ranks.
void check_written(const Scenario& scenario, const WrittenSchedule& schedule, const std::string& at,
                   std::vector<Violation>& found) {
  if (schedule.operation != Operation::all_reduce)
    found.push_back({at + "/operation", fmt::format("gradients are exchanged by an all_reduce, and this schedule is of "
                                                    "{}",
                                                    operation_name(schedule.operation))});
  if (schedule.ranks != scenario.workers())
    found.push_back({at + "/ranks", fmt::format("the schedule is of {} ranks, and the job has {}", schedule.ranks,
                                                scenario.workers())});
}

} // namespace

/// Calls move vectors that they are given, whole, by streams of their own.
void check_calls(const Scenario& scenario, const TrainingSpec& training, const std::string& at,
                 std::vector<Violation>& found) {
  const Collective* caller = caller_of(training.exchange);
  if (caller == nullptr) return;
  const auto refuse = [&](bool wrong, const std::string& key, const std::string& why) {
    if (wrong)
      found.push_back(
          {at + key, fmt::format("calls of {} {}", by_file(*caller) ? "a schedule from a file" : caller->name, why)});
  };
  if (training.exchange.written)
    check_written(scenario, *training.exchange.written, at + "/exchange/algorithm/file", found);
  const CompressionSpec& c = training.compression;
  refuse(!c.tensors.directory.empty(), "/compression/tensors", "carry no real tensors: give a \"ratio\"");
  refuse(c.placement.has_value(), "/compression/placement",
         "do not compress on the way: give a \"ratio\", and what it takes as \"costs\" before and after the exchange");
  refuse(!c.even(), "/compression",
         "carry all tensors alike: leave \"except\", \"except_below\" and "
         "\"tensor_overhead\" out");
  refuse(training.selection.has_value(), "/selection", "carry whole buckets: chosen chunks need another exchange");
  for (std::size_t i = 0; i < training.costs.size(); ++i) {
    const CostHook hook = training.costs[i].at;
    refuse(hook == CostHook::message_send || hook == CostHook::message_receive, fmt::format("/costs/{}/at", i),
           by_library(*caller)
               ? "have messages of their own, whose costs the library's tables have: before or after the exchange"
               : "have no costs of single messages: give them before or after the exchange");
  }
}

} // namespace gradflight
