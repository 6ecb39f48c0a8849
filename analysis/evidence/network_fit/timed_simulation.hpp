// Measured tables simulated on a platform that is tried.
#pragma once

#include "analysis/evidence/collective/collective_table.hpp"
#include "analysis/evidence/network_fit/timed_table.hpp"

#include <string>
#include <vector>

namespace gradflight {

/// What is simulated beside the tables.
struct TimedSetting {
  std::string platform;            ///< a file, or a machine of the catalogue
  std::vector<std::string> sets{}; ///< PATH=VALUE, "platform.node.nic.latency=1us"
  std::string algorithm{};         ///< of collectives, as `gradflight collective` takes it; empty: by the platform
  int element_size = 4;
};

struct SimulatedRow {
  double seconds = 0;
  std::string algorithm{}; ///< "nccl:ring LL", "binomial_tree"
};

/// A table that can be simulated, its rows those of sizes that leave something for a rank.
struct SimulableTable {
  TimedTable timed;
  CollectiveSource source{};           ///< whose schedules are simulated
  std::optional<nccl::Machine> seen{}; ///< where NCCL or RCCL has searched; none of others
};

/// One table on one platform.
struct TimedTrial {
  const SimulableTable* table = nullptr;
  std::vector<std::string> sets{}; ///< after those of the setting
};

/// The platform of the setting with places for all tables, by the largest. Throws InputErrors: of the platform and the
/// settings where they are wrong.
PlatformSpec platform_of(const TimedSetting& setting, const std::vector<SimulableTable>& tables);

/// Tables without any such row are left out. Throws InputErrors with what stands in the way of any table: more ranks or
/// nodes than there are, an algorithm that cannot serve, several pairs at once; or where none is left.
std::vector<SimulableTable> simulable_tables(std::vector<TimedTable> tables, const TimedSetting& setting);

/// A row for each of the table's, in order; trials run `jobs` at a time. Throws SimulationFailure.
///
/// Collectives as `gradflight collective` has them. Point to point: one message from the first GPU of a node to that of
/// another, or to the second of the same; of a bandwidth 64 messages at once (OSU's window), a 64th of their time.
std::vector<std::vector<SimulatedRow>> simulate_trials(const std::vector<TimedTrial>& trials,
                                                       const TimedSetting& setting, int jobs);

} // namespace gradflight
