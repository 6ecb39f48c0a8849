// Simulates measured tables on a candidate platform.
#pragma once

#include "analysis/evidence/collective/collective_table.hpp"
#include "analysis/evidence/network_fit/timed_table.hpp"

#include <string>
#include <vector>

namespace gradflight {

/// The settings of the simulation besides the tables.
struct TimedSetting {
  std::string platform;            ///< a file, or a machine of the catalogue
  std::vector<std::string> sets{}; ///< PATH=VALUE, "platform.node.nic.latency=1us"
  std::string algorithm{}; ///< for collectives, in the form of `gradflight collective`; empty: depends on the platform
  int element_size = 4;
  int iterations = 20; ///< CollectiveRequest::iterations
};

struct SimulatedRow {
  double seconds = 0;
  std::string algorithm{}; ///< "nccl:ring LL", "binomial_tree"
};

/// A table that can be simulated; its rows have sizes with data for a rank.
struct SimulableTable {
  TimedTable timed;
  CollectiveSource source{};              ///< the source of the simulated schedules
  std::optional<nccl::Machine> machine{}; ///< for a search by NCCL or RCCL; absent for others
};

/// One table on one platform.
struct TimedTrial {
  const SimulableTable* table = nullptr;
  std::vector<std::string> sets{}; ///< applied after those of the setting
};

/// Returns the platform of the setting with places for the largest table. Throws InputErrors if the platform or the
/// settings are wrong.
PlatformSpec platform_of(const TimedSetting& setting, const std::vector<SimulableTable>& tables);

/// Leaves out tables without simulable rows. Throws InputErrors with the reasons why tables cannot be simulated: too
/// many ranks or nodes, an algorithm that does not support the operation, or several concurrent pairs. Also throws if
/// no table is left.
std::vector<SimulableTable> simulable_tables(std::vector<TimedTable> tables, const TimedSetting& setting);

/// Returns a row for each row of the table, in order; `jobs` trials run in parallel. Throws SimulationFailure.
///
/// Collectives are simulated like `gradflight collective`. Point to point is one message from the first GPU of a node
/// to that of another node, or to the second GPU of the same node. A bandwidth test has 64 messages in transit (OSU's
/// window); the result is a 64th of their time.
std::vector<std::vector<SimulatedRow>> simulate_trials(const std::vector<TimedTrial>& trials,
                                                       const TimedSetting& setting, int jobs);

} // namespace gradflight
