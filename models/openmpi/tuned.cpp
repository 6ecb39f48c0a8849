#include "models/openmpi/tuned.hpp"

#include "models/forms/collective_cost.hpp"
#include "models/openmpi/rules_4_1.hpp"

#include <array>
#include <span>

namespace gradflight::openmpi {

std::string_view algorithm_name(Algorithm algorithm) {
  static constexpr std::array<std::string_view, 26> names = {"linear",
                                                             "linear with synchronisation",
                                                             "linear, not blocking",
                                                             "non-overlapping",
                                                             "recursive doubling",
                                                             "recursive halving",
                                                             "Rabenseifner",
                                                             "ring",
                                                             "segmented ring",
                                                             "double ring",
                                                             "neighbour exchange",
                                                             "Bruck",
                                                             "pairwise",
                                                             "two processes",
                                                             "chain",
                                                             "pipeline",
                                                             "binary tree",
                                                             "in-order binary tree",
                                                             "split binary tree",
                                                             "binomial tree",
                                                             "k-nomial tree",
                                                             "tree",
                                                             "butterfly",
                                                             "scatter and all-gather",
                                                             "scatter and ring all-gather",
                                                             "none"};
  return names[static_cast<std::size_t>(algorithm)];
}

namespace {

constexpr bool power_of_two(int ranks) { return is_power_of_two(ranks); }

/// Returns the algorithms of an operation in the order of Open MPI's numbers, which begin at 1.
std::span<const Algorithm> numbered(Operation op) {
  using enum Algorithm;
  static constexpr std::array all_reduce = {linear, nonoverlapping, recursive_doubling,
                                            ring,   segmented_ring, halving_doubling};
  static constexpr std::array alltoall = {linear, pairwise, bruck, linear_sync, two_processes};
  static constexpr std::array barrier = {linear, double_ring, recursive_doubling, bruck, two_processes, tree};
  static constexpr std::array broadcast = {
      linear,        chain,        pipeline,          split_binary_tree,     binary_tree,
      binomial_tree, knomial_tree, scatter_allgather, scatter_allgather_ring};
  static constexpr std::array reduce = {
      linear, chain, pipeline, binary_tree, binomial_tree, in_order_binary_tree, halving_doubling};
  static constexpr std::array reduce_scatter = {nonoverlapping, recursive_halving, ring, butterfly};
  static constexpr std::array all_gather = {linear, bruck, recursive_doubling, ring, neighbor_exchange, two_processes};
  static constexpr std::array gather = {linear, binomial_tree, linear_sync};
  static constexpr std::array scatter = {linear, binomial_tree, linear_nonblocking};
  switch (op) {
  case Operation::all_reduce: return all_reduce;
  case Operation::alltoall: return alltoall;
  case Operation::barrier: return barrier;
  case Operation::broadcast: return broadcast;
  case Operation::reduce: return reduce;
  case Operation::reduce_scatter: return reduce_scatter;
  case Operation::all_gather: return all_gather;
  case Operation::gather: return gather;
  case Operation::scatter: return scatter;
  case Operation::sendrecv: break;
  }
  return {};
}

std::span<const rules::Rule> rules_of(Operation op) {
  switch (op) {
  case Operation::all_reduce: return rules::all_reduce;
  case Operation::alltoall: return rules::alltoall;
  case Operation::barrier: return rules::barrier;
  case Operation::broadcast: return rules::broadcast;
  case Operation::reduce: return rules::reduce;
  case Operation::reduce_scatter: return rules::reduce_scatter;
  case Operation::all_gather: return rules::all_gather;
  case Operation::gather: return rules::gather;
  case Operation::scatter: return rules::scatter;
  case Operation::sendrecv: break;
  }
  return {};
}

/// `block`: bytes of one rank's part of the vector.
Decision by_rules_4_1(Operation op, int ranks, double bytes, double block) {
  const bool asks_block = counts_blocks(op) && op != Operation::reduce_scatter;
  for (const rules::Rule& rule : rules_of(op))
    if (ranks < rule.ranks_below && (asks_block ? block : bytes) < rule.bytes_below)
      return {numbered(op)[static_cast<std::size_t>(rule.algorithm) - 1]};
  return {};
}

Decision broadcast_4_0(int ranks, double bytes, bool single) {
  if (bytes < 2048 || single) return {Algorithm::binomial_tree};
  if (bytes < 370728) return {Algorithm::split_binary_tree, 1024};
  if (ranks < 1.6134e-6 * bytes + 2.1102) return {Algorithm::pipeline, 131072};
  if (ranks < 13) return {Algorithm::split_binary_tree, 8192};
  if (ranks < 2.3679e-6 * bytes + 1.1787) return {Algorithm::pipeline, 65536};
  if (ranks < 3.2118e-6 * bytes + 8.7936) return {Algorithm::pipeline, 16384};
  return {Algorithm::pipeline, 8192};
}

Decision reduce_4_0(int ranks, double bytes, bool single) {
  if (ranks < 8 && bytes < 512) return {Algorithm::linear};
  if ((ranks < 8 && bytes < 20480) || bytes < 2048 || single) return {Algorithm::binomial_tree};
  const double kilobytes = bytes / 1024;
  if (ranks > 0.6016 * kilobytes + 1.3496) return {Algorithm::binomial_tree, 1024};
  if (ranks > 0.0410 * kilobytes + 9.7128) return {Algorithm::pipeline, 1024};
  if (ranks > 0.0422 * kilobytes + 1.1614) return {Algorithm::binary_tree, 32768};
  return {Algorithm::pipeline, ranks > 0.0033 * kilobytes + 1.6761 ? 32768.0 : 65536.0};
}

Decision by_rules_4_0(Operation op, int ranks, double bytes, double block, double elements) {
  const bool single = elements >= 0 && elements <= 1;
  switch (op) {
  case Operation::all_reduce:
    if (bytes < 10000) return {Algorithm::recursive_doubling};
    if (elements >= 0 && elements <= ranks) return {Algorithm::nonoverlapping};
    return ranks * 1048576.0 >= bytes ? Decision{Algorithm::ring} : Decision{Algorithm::segmented_ring, 1048576};
  case Operation::alltoall:
    if (ranks == 2) return {Algorithm::two_processes};
    if (block < 200 && ranks > 12) return {Algorithm::bruck};
    return {block < 3000 ? Algorithm::linear : Algorithm::pairwise};
  case Operation::barrier:
    if (ranks == 2) return {Algorithm::two_processes};
    return {power_of_two(ranks) ? Algorithm::recursive_doubling : Algorithm::bruck};
  case Operation::broadcast: return broadcast_4_0(ranks, bytes, single);
  case Operation::reduce: return reduce_4_0(ranks, bytes, single);
  case Operation::reduce_scatter:
    if (bytes <= 12288 || (bytes <= 262144 && power_of_two(ranks)) || ranks >= 0.0012 * bytes + 8)
      return {Algorithm::recursive_halving};
    return {Algorithm::ring};
  case Operation::all_gather:
    if (ranks == 2) return {Algorithm::two_processes};
    if (bytes < 50000) return {power_of_two(ranks) ? Algorithm::recursive_doubling : Algorithm::bruck};
    return {ranks % 2 == 1 ? Algorithm::ring : Algorithm::neighbor_exchange};
  case Operation::gather:
    if (block > 92160) return {Algorithm::linear_sync, 32768};
    if (block > 6000) return {Algorithm::linear_sync, 1024};
    return {ranks > 60 || (ranks > 10 && block < 1024) ? Algorithm::binomial_tree : Algorithm::linear};
  case Operation::scatter: return {ranks > 10 && block < 300 ? Algorithm::binomial_tree : Algorithm::linear};
  case Operation::sendrecv: break;
  }
  return {};
}

} // namespace

Decision decide(Release release, Operation op, int ranks, double bytes, double elements) {
  const double block = counts_blocks(op) ? bytes / ranks : bytes;
  Decision decision = release == Release::v4_1 ? by_rules_4_1(op, ranks, bytes, block)
                                               : by_rules_4_0(op, ranks, bytes, block, elements);
  // Replace algorithms that cannot serve this number of ranks or elements.
  if (op == Operation::all_gather && decision.algorithm == Algorithm::recursive_doubling && !power_of_two(ranks))
    decision.algorithm = Algorithm::bruck;
  if (op == Operation::all_gather && decision.algorithm == Algorithm::neighbor_exchange && ranks % 2 == 1)
    decision.algorithm = Algorithm::ring;
  if (elements < 0) return decision;
  if (op == Operation::all_reduce && decision.algorithm == Algorithm::ring && elements < ranks)
    decision.algorithm = Algorithm::recursive_doubling;
  if (op == Operation::all_reduce && decision.algorithm == Algorithm::halving_doubling &&
      elements < power_of_two_below(ranks))
    decision.algorithm = Algorithm::linear;
  const bool scatters =
      decision.algorithm == Algorithm::scatter_allgather || decision.algorithm == Algorithm::scatter_allgather_ring;
  if (op == Operation::broadcast && scatters && elements < ranks) decision.algorithm = Algorithm::linear;
  return decision;
}

} // namespace gradflight::openmpi
