// Tables with simulated times for known parameters.
#pragma once

#include "analysis/evidence/network_fit/network_fit.hpp"

#include <fmt/format.h>
#include <string>
#include <vector>

namespace gradflight::test {

/// Cables of 10 Gbps and 5 us; a message between nodes crosses two.
inline const char* const fit_star = R"({ "nodes": 4, "network": { "topology": "star",
  "link": { "bandwidth": "10Gbps", "latency": "5us" } }, "reduce_bandwidth": "10GB/s" })";

inline TimedTable fit_table(Operation op, int nodes, int ranks, std::vector<double> sizes = {}) {
  TimedTable table{"made.log", 1, Benchmark::collective, op, nodes, ranks, "", ""};
  if (sizes.empty())
    for (double bytes = 1024; bytes <= 1 << 28; bytes *= 16) sizes.push_back(bytes);
  for (const double bytes : sizes) table.rows.push_back({bytes, 1, 1});
  return table;
}

/// Returns tables with the simulated times of a platform with the parameters `truth`.
inline std::vector<SimulableTable> made_tables(const std::vector<TimedTable>& tables, const TimedSetting& setting,
                                               const std::vector<std::string>& truth) {
  auto made = simulable_tables(tables, setting);
  std::vector<TimedTrial> trials;
  for (const auto& table : made) trials.push_back({&table, truth});
  const auto simulated = simulate_trials(trials, setting, 2);
  for (std::size_t i = 0; i < made.size(); ++i)
    for (std::size_t row = 0; row < simulated[i].size(); ++row)
      made[i].timed.rows[row].seconds = simulated[i][row].seconds;
  return made;
}

inline std::vector<std::string> fit_truth(const std::string& link, double latency_us, double giga,
                                          const std::string& rate) {
  return {fmt::format("{}.latency={}us", link, latency_us), fmt::format("{}={}GB/s", rate, giga)};
}

} // namespace gradflight::test
