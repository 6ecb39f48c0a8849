#include "scenarios/language/decode/checks_calls.hpp"

#include "models/schedules/parts/collective.hpp"
#include "models/schedules/written/written_schedule.hpp"
#include "scenarios/language/types/scenario.hpp"

#include <fmt/format.h>

namespace gradflight {

namespace {

/// A schedule from a file is valid for one operation and one number of ranks.
void check_written(const Scenario& scenario, const WrittenSchedule& schedule, const std::string& at,
                   std::vector<Violation>& found) {
  if (schedule.operation != Operation::all_reduce)
    found.push_back(
        {at + "/operation", fmt::format("the exchange of gradients needs an all_reduce schedule, but this one is {}",
                                        operation_name(schedule.operation))});
  if (schedule.ranks != scenario.workers())
    found.push_back({at + "/ranks", fmt::format("the schedule is for {} ranks, but the job has {}", schedule.ranks,
                                                scenario.workers())});
}

} // namespace

/// Calls move whole vectors that they receive, on their own streams.
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
  refuse(!c.tensors.directory.empty(), "/compression/tensors", "cannot carry real tensors: give a \"ratio\"");
  refuse(c.placement.has_value(), "/compression/placement",
         "cannot run a codec: give a \"ratio\", and the time of the codec as \"costs\" before and after the exchange");
  refuse(!c.even(), "/compression",
         "compress all tensors alike: leave \"except\", \"except_below\" and \"tensor_overhead\" out");
  refuse(training.selection.has_value(), "/selection",
         "carry whole buckets: leave \"selection\" out, or use an exchange that is not a call");
  for (std::size_t i = 0; i < training.costs.size(); ++i) {
    const CostHook hook = training.costs[i].at;
    refuse(hook == CostHook::message_send || hook == CostHook::message_receive, fmt::format("/costs/{}/at", i),
           by_library(*caller)
               ? "already include the costs of their messages: use \"before_exchange\" or \"after_exchange\""
               : "have no costs of single messages: use \"before_exchange\" or \"after_exchange\"");
  }
}

} // namespace gradflight
