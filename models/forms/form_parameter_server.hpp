// What the links of parameter servers carry. Source: GradientFlow, Sec. 5 (M servers, BytePS); 3LC, Sec. 2.
#pragma once

#include <algorithm>

namespace gradflight {

/// p workers and S servers, each with an equal shard of the vector.
struct ServerShape {
  int workers = 1;        ///< p >= 1
  int servers = 1;        ///< S >= 1; colocated: S <= p, server i beside worker i
  bool colocated = false; ///< a worker's own shard then crosses no link
};

/// Bytes that the busiest link carries when every worker sends every server its shard of m bytes, all at once.
/// Dedicated: max(S, p) m: a server's link takes p shards, a worker's S; with equal shares every one of the pS flows
/// runs at 1/max(S, p) of a link, so all end together and the form is exact. Colocated: (p-1) m: each server's link
/// takes p-1 flows and no worker's link more than that, so all flows run at 1/(p-1), whether a worker hosts a server or
/// not.
inline double busiest_link_bytes(const ServerShape& shape, double shard) {
  return shape.colocated ? (shape.workers - 1) * shard : std::max(shape.servers, shape.workers) * shard;
}

} // namespace gradflight
