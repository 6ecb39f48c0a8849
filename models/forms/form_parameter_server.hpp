// The load of parameter servers' links. Source: GradientFlow, Sec. 5 (M servers, BytePS); 3LC, Sec. 2.
#pragma once

#include <algorithm>

namespace gradflight {

/// p workers and S servers, each with an equal shard of the vector.
struct ServerShape {
  int workers = 1;        ///< p >= 1
  int servers = 1;        ///< S >= 1; colocated: S <= p, and server i runs beside worker i
  bool colocated = false; ///< true: a worker's own shard crosses no link
};

/// Returns the bytes on the busiest link if every worker sends every server its shard of m bytes at the same time.
/// Dedicated servers: max(S, p) m. A server's link carries p shards, and a worker's link S. With equal shares each of
/// the pS flows gets 1/max(S, p) of a link. All flows end together, so the form is exact. Colocated servers: (p-1) m.
/// Each server's link carries p-1 flows, and no worker's link carries more. So all flows get 1/(p-1) of a link, whether
/// or not a worker hosts a server.
inline double busiest_link_bytes(const ServerShape& shape, double shard) {
  return shape.colocated ? (shape.workers - 1) * shard : std::max(shape.servers, shape.workers) * shard;
}

} // namespace gradflight
