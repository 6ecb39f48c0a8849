// The closed forms of the plain schedules in a table.
#pragma once

#include "analysis/evidence/collective/collective_group.hpp"
#include "analysis/run/forms/call_links.hpp"
#include "models/schedules/make_schedule.hpp"

#include <optional>
#include <vector>

namespace gradflight {

/// Keeps the links of each schedule, since all sizes of a table use the same ones.
class PlainForms {
public:
  /// `group` must outlive this.
  PlainForms(const CollectiveGroup& group, int element_size);

  /// Returns the costs of the slowest messages between ranks. They determine the chunk of a pipeline.
  [[nodiscard]] const FormLinks& between_ranks() const { return between_ranks_; }
  /// Returns nothing if the algorithm has no closed form.
  [[nodiscard]] std::optional<GroupForm> form(const Collective& algorithm, const GroupSpec& spec);
  /// Returns whether several ranks are known to share a link, which closed forms do not count. A long schedule is not
  /// looked at.
  [[nodiscard]] bool links_shared(const Collective& algorithm, const GroupSpec& spec);
  /// Fills in the closed form, if one exists, and which of its assumptions fail.
  void fill(const Collective& algorithm, const GroupSpec& spec, CollectiveRow& row);

private:
  struct Known {
    const Collective* algorithm = nullptr;
    GroupSpec spec;
    std::optional<CallLinks> links; ///< nothing: the schedule is too long to look at each message
  };
  const std::optional<CallLinks>& links_of(const Collective& algorithm, const GroupSpec& spec);

  const CollectiveGroup& group_;
  FormLinks between_ranks_;
  std::vector<Known> known_;
};

} // namespace gradflight
