#include "scenarios/language/checks/checks_training.hpp"

#include "models/schedules/parts/collective.hpp"
#include "models/schedules/written/written_schedule.hpp"
#include "scenarios/language/types/scenario.hpp"
#include "scenarios/language/types/training.hpp"
#include "workloads/code/workload.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

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

void check_elements(const Workload& workload, const TrainingSpec& training, const std::string& at,
                    std::vector<Violation>& found) {
  const auto element = workload.element();
  if (element == Element::fp32) return;
  const std::string types = fmt::format("{}", fmt::join(workload.element_names(), " and "));
  const auto refuse = [&](bool wrong, const char* key, const char* why) {
    if (wrong) found.push_back({at + key, fmt::format("{}; the tensors of the workload are {}", why, types)});
  };
  const CompressionSpec& c = training.compression;
  refuse(!c.tensors.directory.empty(), "/compression/tensors",
         "recorded gradients are fp32: leave \"element\" out, or give a \"ratio\"");
  refuse(c.in_nic(), "/compression/placement", "the codec in a NIC reads fp32 only: use \"gpu\" or \"cpu\"");
  if (element) return;
  refuse(c.ratio_of_codec, "/compression/codec",
         "the ratio of a codec depends on the element type, which must be one for all tensors: give a \"ratio\"");
  refuse(!c.even(), "/compression",
         "\"except\", \"except_below\" and \"tensor_overhead\" need tensors of one element type");
  refuse(training.selection.has_value(), "/selection",
         "a chunk may span several tensors, so all tensors need one element type");
  refuse(training.granularity.kind == Granularity::Kind::segments, "/granularity/segments",
         "a segment may span several tensors, so all tensors need one element type");
}

} // namespace gradflight
