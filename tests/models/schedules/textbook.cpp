#include "tests/models/schedules/textbook.hpp"

#include <bit>
#include <map>

namespace gradflight::test {

namespace {

int floor_log2(int p) { return static_cast<int>(std::bit_width(static_cast<unsigned>(p))) - 1; }

Expected servers(const ExchangeSpec& x, int p, std::int64_t n) {
  const std::int64_t far = x.colocated ? p - 1 : p; // messages of one worker to a colocated server cost nothing
  const int tree = ceil_log2(x.colocated ? p : p + 1);
  return {2 * x.servers * far, 2 * n * far, far == 0 ? 0 : 1 + (x.pull == Pull::flat ? 1 : tree)};
}

Expected ring(const ExchangeSpec& x, int p, std::int64_t n) {
  const std::int64_t rounds = std::int64_t{2} * (p - 1);
  return {rounds * p * x.pieces, rounds * n, 2 * (p - 1) * x.pieces, x.pieces > 1};
}

/// A round takes two turns. For an odd number of ranks, a neighbour pair loses one more turn every (p-1)/2 rounds.
Expected blocking_ring(const ExchangeSpec&, int p, std::int64_t n) {
  const std::int64_t rounds = std::int64_t{2} * (p - 1);
  return {rounds * p, rounds * n, p % 2 == 0 ? 4 * (p - 1) : 4 * p, p % 2 == 1};
}

Expected recursive_doubling(const ExchangeSpec&, int p, std::int64_t n) {
  const std::int64_t p2 = std::int64_t{1} << floor_log2(p), extra = p - p2;
  const std::int64_t messages = p2 * floor_log2(p) + 2 * extra;
  return {messages, messages * n, floor_log2(p) + (extra > 0 ? 2 : 0)};
}

Expected halving_doubling(const ExchangeSpec&, int p, std::int64_t n) {
  const std::int64_t p2 = std::int64_t{1} << floor_log2(p), extra = p - p2;
  return {2 * p2 * floor_log2(p) + 2 * extra, 2 * (p2 - 1 + extra) * n, 2 * floor_log2(p) + (extra > 0 ? 2 : 0)};
}

/// If p is not a power of two, some leaves of the reduction need not wait for their round.
Expected tree(const ExchangeSpec&, int p, std::int64_t n) {
  return {2 * (p - 1), 2 * (p - 1) * n, 2 * ceil_log2(p), !std::has_single_bit(static_cast<unsigned>(p))};
}

/// Flat groups of four, and the cost of the top algorithm among their masters.
Expected groups_of_four(const ExchangeSpec& x, int p, std::int64_t n) {
  const int masters = (p + 3) / 4, members = p - masters;
  Expected all{std::int64_t{2} * members, 2 * members * n, members > 0 ? 2 : 0};
  if (masters == 1) return all;
  ExchangeSpec among;
  among.algorithm = x.top;
  Expected top = textbook(x.top)(among, masters, n);
  if (has_servers(among)) top = {2 * (masters - 1), 2 * (masters - 1) * n, 2};
  // The last group may consist of its master alone, which starts at the top immediately.
  return {all.messages + top.messages, all.units + top.units, all.alphas + top.alphas, true};
}

Expected gather(const ExchangeSpec& x, int p, std::int64_t) {
  const int rounds = x.all_gather == AllGather::ring ? p - 1 : ceil_log2(p);
  return {std::int64_t{p} * rounds, std::int64_t{p} * (p - 1), rounds};
}

Expected gtopk(const ExchangeSpec& x, int p, std::int64_t) { return tree(x, p, 1); }

/// Both halves, on a ring or in powers of two: every block moves p - 1 times in each half.
Expected sharded_exchange(const ExchangeSpec& x, int p, std::int64_t n) {
  const int down = x.sharded.reduce_scatter == ReduceScatter::ring ? p - 1 : ceil_log2(p);
  const int up = x.all_gather == AllGather::ring ? p - 1 : ceil_log2(p);
  return {std::int64_t{p} * (down + up), 2 * (p - 1) * n, down + up};
}

const std::map<std::string_view, Textbook> pages{{"parameter_server", servers},
                                                 {"ring", ring},
                                                 {"recursive_doubling", recursive_doubling},
                                                 {"halving_doubling", halving_doubling},
                                                 {"binomial_tree", tree},
                                                 {"hierarchical", groups_of_four},
                                                 {"topk_allgather", gather},
                                                 {"gtopk", gtopk},
                                                 {"sharded", sharded_exchange},
                                                 {"blocking_ring", blocking_ring}};

} // namespace

Textbook textbook(Algorithm algorithm) {
  const auto page = pages.find(collective(algorithm).name);
  return page == pages.end() ? nullptr : page->second;
}

} // namespace gradflight::test
