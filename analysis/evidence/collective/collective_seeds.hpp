// Routing by hash as a distribution: which messages share a link depends on the seed, which nobody knows of a real
// network.
#pragma once

#include "analysis/evidence/collective/collective_table.hpp"

namespace gradflight {

/// Throws InputErrors if the request has several seeds, but the platform does not route by hash.
void require_hash(const CollectiveRequest& request, const CollectiveGroup& group);

/// Like collective_table, with the platform's seed and those after it, `request.seeds` in all. Each row is that of the
/// seed with the median time (of two, the faster one) and has the 90th percentile of the times of all seeds.
CollectiveTable collective_table_over_seeds(const CollectiveRequest& request, Operation op,
                                            const CollectiveGroup& group, const CollectiveSource& source,
                                            const RowSink& sink = {});

} // namespace gradflight
