// Closed forms of exchanges with parameter servers on equal links, and of worker-aggregator exchanges as printed in the
// papers. Symbols: models/forms/collective_cost.hpp.
//
// Sources: INCEPTIONN, Sec. VIII-D (worker aggregator, "WA"); GradientFlow, Sec. 5 (M servers, BytePS); 3LC, Sec. 2.
#pragma once

#include "models/forms/collective_cost.hpp"
#include "models/forms/form_parameter_server.hpp"

namespace gradflight {

/// One leg (push or pull) with shards of `shard` wire bytes: alpha + busiest_link_bytes beta; 0 if no data crosses a
/// link.
CollectiveCost server_leg(const ServerShape& shape, double shard, const LinkParameters& link);

/// The reductions of one server: (p-1) shard gamma (the first operand is only copied).
CollectiveCost server_reduction(const ServerShape& shape, double shard, const LinkParameters& link);

/// Push, reduce, flat pull of n bytes without update: for S = 1 dedicated 2(alpha + p n beta) + (p-1) n gamma.
CollectiveCost parameter_server_flat(const ServerShape& shape, double n, const LinkParameters& link);

/// Pull of one server's weights through a binomial tree over the server and p workers: r (alpha + n beta),
/// r = ceil(lg(p+1)); colocated r = ceil(lg p).
CollectiveCost server_pull_binomial(const ServerShape& shape, double n, const LinkParameters& link);

/// INCEPTIONN's WA in a realizable form: (1+r) alpha + (p+r) n beta + (p-1) n gamma, r = ceil(lg(p+1)).
CollectiveCost worker_aggregator(int p, double n, const LinkParameters& link);

/// INCEPTIONN's WA as printed: (1 + lg p) alpha + (p + lg p) n beta + (p-1) n gamma. No schedule achieves it, because
/// the broadcast spans p+1 nodes and needs ceil(lg(p+1)) rounds.
CollectiveCost worker_aggregator_as_printed(int p, double n, const LinkParameters& link);

/// WA+C: only the gather leg is divided by `ratio` (dense bytes over wire bytes); weights are sent dense.
CollectiveCost worker_aggregator_compressed(int p, double n, double ratio, const LinkParameters& link);

/// INC+C: the ring with every hop compressed; only the beta part is smaller.
CollectiveCost ring_compressed(int p, double n, double ratio, const LinkParameters& link);

/// Bytes of GradientFlow Sec. 5: a worker sends and receives K, and each of M servers K N / M. The time is at least the
/// larger of both times beta per leg. With M = N this is half of the ring's 2 K (N-1)/N per direction.
struct ServerTraffic {
  double worker_bytes = 0, server_bytes = 0; ///< in one direction of one leg
};
ServerTraffic server_traffic(int workers, int servers, double n);

} // namespace gradflight
