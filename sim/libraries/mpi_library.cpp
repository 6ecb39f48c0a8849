#include "sim/libraries/mpi_library.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace gradflight {

namespace {

using Decided = openmpi::Algorithm;

/// The row of the catalogue that does the same or comes closest, and how they differ; empty if they do not.
struct StandIn {
  std::string_view row;
  std::string_view difference{};
};

StandIn of_all_reduce(Decided algorithm) {
  switch (algorithm) {
  case Decided::recursive_doubling: return {"recursive_doubling"};
  case Decided::halving_doubling: return {"halving_doubling"};
  case Decided::ring: return {"ring"};
  case Decided::segmented_ring: return {"ring", "blocks whole, not in pieces"};
  case Decided::nonoverlapping: return {"binomial_tree", "both halves by binomial trees"};
  default: return {"binomial_tree", "by a binomial tree"};
  }
}

StandIn of_all_gather(Decided algorithm) {
  switch (algorithm) {
  case Decided::bruck: return {"bruck"};
  case Decided::recursive_doubling:
  case Decided::two_processes: return {"recursive_doubling"};
  case Decided::ring: return {"ring"};
  case Decided::neighbor_exchange: return {"ring", "single blocks round a ring, in twice as many rounds"};
  default: return {"spread", "every block sent directly"};
  }
}

StandIn of_reduce_scatter(Decided algorithm) {
  switch (algorithm) {
  case Decided::ring: return {"ring"};
  case Decided::recursive_halving: return {"halving_doubling"};
  default: return {"halving_doubling", "by recursive halving"};
  }
}

StandIn of_alltoall(Decided algorithm) {
  switch (algorithm) {
  case Decided::pairwise:
  case Decided::two_processes: return {"pairwise"};
  case Decided::bruck: return {"bruck"};
  case Decided::linear_sync: return {"spread", "all at once, not a few at a time"};
  default: return {"spread"};
  }
}

StandIn of_broadcast(Decided algorithm) {
  switch (algorithm) {
  case Decided::pipeline: return {"chain"};
  case Decided::chain: return {"chain", "one chain, not four"};
  case Decided::binary_tree: return {"binary_tree"};
  case Decided::split_binary_tree: return {"double_binary_tree", "halves by two trees"};
  case Decided::binomial_tree: return {"binomial_tree"};
  case Decided::knomial_tree: return {"binomial_tree", "of radix 2, not 4"};
  case Decided::scatter_allgather_ring: return {"scatter_allgather"};
  case Decided::scatter_allgather: return {"scatter_allgather", "gathered round a ring"};
  default: return {"spread"};
  }
}

StandIn of_reduce(Decided algorithm) {
  switch (algorithm) {
  case Decided::pipeline: return {"chain"};
  case Decided::chain: return {"chain", "one chain, not four"};
  case Decided::binary_tree: return {"binary_tree"};
  case Decided::in_order_binary_tree: return {"binary_tree", "in another order"};
  case Decided::binomial_tree: return {"binomial_tree"};
  case Decided::halving_doubling: return {"reduce_scatter_gather", "blocks reduced round a ring"};
  default: return {"spread"};
  }
}

StandIn of_gather_and_scatter(Decided algorithm) {
  switch (algorithm) {
  case Decided::binomial_tree: return {"binomial_tree"};
  case Decided::linear_sync: return {"spread", "without the first small message"};
  default: return {"spread"};
  }
}

StandIn stand_in(Operation op, Decided algorithm) {
  switch (op) {
  case Operation::all_reduce: return of_all_reduce(algorithm);
  case Operation::all_gather: return of_all_gather(algorithm);
  case Operation::reduce_scatter: return of_reduce_scatter(algorithm);
  case Operation::alltoall: return of_alltoall(algorithm);
  case Operation::broadcast: return of_broadcast(algorithm);
  case Operation::reduce: return of_reduce(algorithm);
  case Operation::gather:
  case Operation::scatter: return of_gather_and_scatter(algorithm);
  case Operation::sendrecv: return {"ring"};
  case Operation::barrier: break;
  }
  return {"dissemination"};
}

} // namespace

LibraryCall mpi_call(openmpi::Release release, Operation op, int ranks, std::int64_t elements, double element_size) {
  const double bytes = static_cast<double>(elements) * element_size;
  const openmpi::Decision decision = openmpi::decide(release, op, ranks, bytes, static_cast<double>(elements));
  const StandIn by = stand_in(op, decision.algorithm);
  const Collective& row = *group_collective(by.row);
  LibraryCall call;
  GroupSpec spec;
  spec.op = op;
  spec.ranks = ranks;
  spec.elements = elements;
  if (row.group.chunks && decision.segment > 0)
    spec.chunk = std::clamp<std::int64_t>(std::llround(decision.segment / element_size), 1, elements);
  call.schedule = make_group_schedule(row, spec);
  call.algorithm = fmt::format("mpi:{}", row.name);
  call.why =
      fmt::format("Open MPI {} takes {}", release == openmpi::Release::v4_1 ? "4.1" : "4.0",
                  op == Operation::sendrecv ? "sends and receives" : openmpi::algorithm_name(decision.algorithm));
  if (decision.segment > 0) call.why += fmt::format(" in pieces of {:.6g} B", decision.segment);
  if (!by.difference.empty()) call.why += fmt::format("; simulated {}", by.difference);
  call.plain = PlainChoice{&row, spec};
  return call;
}

} // namespace gradflight
