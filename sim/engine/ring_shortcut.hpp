// A whole ring all-reduce at once: the same sums and maxima as message by message, without an event for each.
//
// Where no two edges of the ring share a link, and nothing else uses these links, a message never waits for bandwidth:
//   sent(i, s)  = max(at(i, s), at(i+1, s))                        both sides have reached step s
//   there(i, s) = sent(i, s) + alpha(i) + bytes / bandwidth(i)
//   at(j, s+1)  = max(there(j-1, s) + gamma(j) * bytes, there(j, s))
// for each rank and step, from any times at which the ranks enter. Ranks may differ in speed, edges in alpha and
// bandwidth, blocks in size; only sharing a link breaks it, and prove() then refuses.
#pragma once

#include "sim/engine/accounts.hpp"
#include "sim/engine/link_ledger.hpp"
#include "sim/plan/job.hpp"

#include <optional>

namespace gradflight {

class RingShortcut {
public:
  /// Empty unless every exchange of the job is a ring on links of its own, one at a time, without work per message:
  /// no message costs, and no codec placed anywhere.
  static std::optional<RingShortcut> prove(const Job& job, const Platform& platform);

  struct Rank {
    double time = 0;
    Path path{};
  };
  /// Rank `rank` is ready for the next exchange. True when it is the last: then finish() is due.
  bool enter(int rank, double now, const Path& path);
  /// When each rank is through the exchange of n elements, and what its time went to. Books messages, bytes, links and
  /// the time in flight.
  const std::vector<Rank>& finish(std::int64_t n, Accounts& accounts, LinkLedger& ledger);

private:
  struct Edge {
    double alpha = 0, bandwidth = 0;
    Route links;
    double small = 0, large = 0; ///< seconds of a block's bytes, n / p rounded down and up
  };
  struct State { ///< of a rank between steps, or of a message
    double time = 0;
    double alpha = 0, gamma = 0; ///< what the critical path has gathered since ...
    std::int64_t origin = 0;     ///< ... this rank entered; the rest is beta
  };
  explicit RingShortcut(const Job& job) : job_(&job) {}
  void step(int index, bool reduces);
  void book(std::int64_t n, Accounts& accounts, LinkLedger& ledger);

  const Job* job_;
  std::vector<Edge> edges_; ///< from rank i to rank i + 1
  std::vector<Rank> ranks_;
  std::size_t entered_ = 0;
  std::size_t large_blocks_ = 0;             ///< the first n mod p blocks are one element larger
  double small_bytes_ = 0, large_bytes_ = 0; ///< dense
  std::vector<State> states_, messages_;
  Flights flights_;
};

} // namespace gradflight
