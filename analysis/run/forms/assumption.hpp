// What a closed form takes for granted, and whether a scenario grants it: an id for programs, a sentence for people.
//
// The ids are the contract of results, sweeps and scripts; a sentence may say more (which leg, which level) and change.
// To add one: a row here and in assumption.cpp's list, in the same order (the compiler checks it), and in the table of
// docs/closed-forms.md (a test checks it).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace gradflight {

enum class AssumptionId : std::uint8_t {
  links_alike,
  links_exclusive,
  links_ordered,
  latencies_alike,
  links_even,
  compute_alike,
  compute_steady,
  reducers_alike,
  servers_alike,
  rate_beside_compute,
  data_only,
  no_protocol,
  no_traffic,
  no_changes,
  no_failures,
  divisible,
  blocks_weigh_alike,
  weighs_in_proportion,
  weight_known,
  chunks_even,
  blocks_whole,
  engines_exclusive,
  engines_even,
  no_codec_time,
  codec_waits,
  groups_equal,
  power_of_two,
  one_server,
  one_gpu,
  pulled_at_once,
  no_worker_nearer,
  updates_free,
  one_stream,
  no_host_competition,
  message_costs_in_step,
  no_message_costs,
  links_own,
  operation_form,
  ranks_end_together
};

struct AssumptionInfo {
  AssumptionId id;
  std::string_view name; ///< in results: "links_alike"
  std::string_view documentation;
};
/// All of them, in the order of the ids.
std::span<const AssumptionInfo> assumption_ids();
/// "links_alike"
std::string_view name(AssumptionId id);

struct Assumption {
  AssumptionId id{};
  std::string text; ///< "links alike", "p is a power of two, or a single exchange", ...
  bool holds = false;
  std::string detail; ///< what in the scenario breaks it; empty where it holds

  /// Of one that does not hold: "an assumption fails: links alike (node 3 ...)".
  [[nodiscard]] std::string sentence() const;
};

/// A condition with the reason why it fails; the reason is dropped where it holds.
Assumption assume(AssumptionId id, std::string text, bool holds, std::string detail);

} // namespace gradflight
