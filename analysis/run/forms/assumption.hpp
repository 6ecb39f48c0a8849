// Assumptions of a closed form, and whether a scenario meets them: an id for programs, and a sentence for people.
//
// The ids are a stable interface for results, sweeps and scripts. A sentence may contain details (which leg, which
// level) and may change. A new assumption needs a row here and in assumption.cpp's list, in the same order (the
// compiler checks it). It also needs a row in the table of docs/closed-forms.md (a test checks it).
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
  std::string_view name; ///< name in results: "links_alike"
  std::string_view documentation;
};
/// Returns all assumptions in the order of the ids.
std::span<const AssumptionInfo> assumption_ids();
/// Returns a name such as "links_alike".
std::string_view name(AssumptionId id);

struct Assumption {
  AssumptionId id{};
  std::string text; ///< "links alike", "p is a power of two, or a single exchange", ...
  bool holds = false;
  std::string detail; ///< the property of the scenario that violates it; empty if it holds

  /// Returns "an assumption fails: links alike (node 3 ...)" for an assumption that does not hold.
  [[nodiscard]] std::string sentence() const;
};

/// Returns a condition with the reason for its failure; drops the reason if the condition holds.
Assumption assume(AssumptionId id, std::string text, bool holds, std::string detail);

} // namespace gradflight
