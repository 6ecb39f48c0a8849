// A call of a communication library: its choices as a schedule, and what its messages cost besides the links.
#pragma once

#include "models/collectives/hop_cost.hpp"
#include "models/schedules/make_schedule.hpp"

#include <memory>
#include <optional>
#include <string>

namespace gradflight {

/// A call by a schedule of the catalogue.
struct PlainChoice {
  const Collective* row = nullptr;
  GroupSpec spec;
};

struct LibraryCall {
  /// Members are the group's ranks, node by node, then the nodes' NVSwitches.
  std::unique_ptr<GroupSchedule> schedule;
  HopCosts hops{};
  double launch = 0;     ///< seconds before the first message
  std::string algorithm; ///< "nccl:ring", "mpi:4.1"
  std::string protocol;  ///< empty: none
  int channels = 0;      ///< 0: none
  std::string why;
  std::optional<double> model_time_us{}; ///< by the library's own formula, where it has one
  std::optional<PlainChoice> plain{};    ///< its cost is only alpha, beta and gamma, so a closed form exists

  /// Number of NVSwitches that are members: none, or one for each node.
  [[nodiscard]] int switches() const { return schedule->members() - schedule->ranks(); }
};

} // namespace gradflight
