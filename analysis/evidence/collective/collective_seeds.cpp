#include "analysis/evidence/collective/collective_seeds.hpp"

#include "base/percentile.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace gradflight {

void require_hash(const CollectiveRequest& request, const CollectiveGroup& group) {
  if (request.seeds == 1) return;
  const RoutingSpec& routing = group.spec.network.routing;
  if (routing.seed > std::numeric_limits<std::int64_t>::max() - request.seeds)
    refuse({fmt::format("--seeds {}: the platform's seed {} is too large for so many", request.seeds, routing.seed)});
  if (routing.kind == RoutingSpec::Kind::ecmp) return;
  refuse({fmt::format("--seeds {}: only routing by hash has seeds; add --set platform.network.routing=ecmp",
                      request.seeds)});
}

CollectiveTable collective_table_over_seeds(const CollectiveRequest& request, Operation op,
                                            const CollectiveGroup& group, const CollectiveSource& source,
                                            const RowSink& sink) {
  if (request.seeds == 1) return collective_table(request, op, group, source, sink);
  std::vector<CollectiveTable> tables;
  for (int seed = 0; seed < request.seeds; ++seed) {
    PlatformSpec spec = group.spec;
    spec.network.routing.seed += seed;
    const CollectiveGroup routed{spec,        build_platform(spec, 0), group.name,
                                 group.nodes, group.gpus_per_node,     group.places};
    tables.push_back(collective_table(request, op, routed, source));
  }
  CollectiveTable table = tables.front();
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    std::vector<const CollectiveRow*> runs;
    std::vector<double> times;
    for (const CollectiveTable& one : tables) {
      runs.push_back(&one.rows[i]);
      times.push_back(one.rows[i].time_us);
    }
    std::ranges::stable_sort(runs, {}, &CollectiveRow::time_us);
    CollectiveRow& row = table.rows[i];
    row = *runs[(runs.size() - 1) / 2];
    row.time_90th_us = percentile(std::move(times), 0.9);
    if (sink) sink(row);
  }
  table.seeds = request.seeds;
  return table;
}

} // namespace gradflight
