#include "analysis/evidence/boards/boards_plots.hpp"

#include "analysis/evidence/boards/boards_text.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace gradflight {

namespace {

using Json = nlohmann::ordered_json;

/// Returns null without a time.
Json bandwidth_of(const BoardTable& table, const BoardCase& one, const std::optional<double>& time_us) {
  if (!time_us) return {};
  return one.size_bytes / *time_us / 1e3 * bus_factor(table.op, table.ranks);
}

} // namespace

Json case_rows(const BoardPack& pack) {
  Json rows = Json::array();
  for (const BoardTable& table : pack.tables)
    for (const BoardCase& one : table.cases) {
      if (!one.simulated || table.kind != CaseKind::collective) continue;
      const auto yardstick = [&](Yardstick which) {
        return bandwidth_of(table, one, one.yardsticks[static_cast<std::size_t>(which)]);
      };
      rows.push_back({{"pack", pack.pack.name.text},
                      {"table", table_name(table) + (table.role == MeasuredRole::fitted ? ", used by the fit" : "")},
                      {"order", static_cast<int>(table.op) * 1e7 + table.ranks},
                      {"size", one.size_bytes},
                      {"measured_us", one.measured},
                      {"simulated_us", *one.simulated},
                      {"error", *one.error()},
                      {"ratio", 1 + *one.error()},
                      {"measured", bandwidth_of(table, one, one.measured)},
                      {"lower", bandwidth_of(table, one, one.most)},
                      {"upper", bandwidth_of(table, one, one.least)},
                      {"simulated", bandwidth_of(table, one, one.simulated)},
                      {"own", yardstick(Yardstick::own_formula)},
                      {"ring", yardstick(Yardstick::line_ring)},
                      {"chosen", one.protocol.empty()
                                     ? one.algorithm
                                     : fmt::format("{} {} {} channels", one.algorithm, one.protocol, one.channels)}});
    }
  return rows;
}

Json training_rows(const BoardPack& pack) {
  Json rows = Json::array();
  for (const BoardTable& table : pack.tables) {
    if (table.kind == CaseKind::collective || table.kind == CaseKind::contention) continue;
    const auto add = [&](int ranks, double measured, double simulated) {
      rows.push_back({{"job", table_name(table)}, {"gpus", ranks}, {"measured", measured}, {"simulated", simulated}});
    };
    add(table.base_ranks, 1, 1);
    for (const BoardCase& one : table.cases) {
      if (!one.simulated) continue;
      const double perfect = static_cast<double>(one.ranks) / table.base_ranks;
      const auto kept = [&](double score) { return table.kind == CaseKind::sharded ? 1 - score : score / perfect; };
      add(one.ranks, kept(one.measured), kept(*one.simulated));
    }
  }
  return rows;
}

} // namespace gradflight
