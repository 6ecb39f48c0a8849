// A ring with equal edges and equal ranks, in O(p) instead of p^2: RingShortcut's recurrence in closed form.
//
// Blocks have two sizes: the first e = n mod p are one element larger. Let A(b, s) be when the rank that sends block b
// in step s reaches that step, c(b) = alpha + beta(b), and g(b) the reduction of block b. In
//   T(b, s) = max(A(b, s), A(b+1, s)) + c(b),   A(b, s+1) = max(T(b, s) + g(b), T(b+1, s)),
// the cost of a step depends on the block alone. So A(b, s) is the largest sum along a path that goes down from block
// to block, round and round, by 0, 1 or 2 a step. Each step costs c + g of its block. But a move by two omits the g of
// the block that it leaves, as does a last move by one; a first move by one is free. Compared with staying on large
// blocks, a path loses
//   W = c + g of a large block less that of a small one, for each step on a small block, and g for each move by two.
// A phase has p - 1 steps, enough for any of these at moves by one, which lose nothing but W (the first phase reduces
// blocks; in the second g is 0). The least that a path loses:
//   on the way to a large block from one that is as high or higher: nothing
//   from h blocks above the highest large one to a large one: in(h), h - 1 steps on small blocks, or half as many by
//                                                             moves by two where g < W
//   from a large one to k below the lowest: out(k), k such steps; to a higher one, all the way round: out(p - e)
// Small blocks' times between the phases decide nothing. A path that reaches a small block at a loss can reach, or has
// reached, the large ones at no greater loss. In the second phase these are ahead of all that stays small. If all
// blocks are alike, no path loses: all ranks leave together, determined by the last to enter.
#pragma once

#include "sim/engine/accounts/flights.hpp"

#include <span>
#include <vector>

namespace gradflight {

/// Seconds, equal for every edge and rank.
struct UniformSteps {
  std::size_t ranks = 0, large_blocks = 0; ///< large_blocks < ranks, ranks >= 2
  double alpha = 0, small_beta = 0, large_beta = 0, small_gamma = 0, large_gamma = 0;
};

class UniformRing {
public:
  struct End {
    double time = 0;
    std::size_t origin = 0; ///< the rank that the path has come through since it entered
    double gamma = 0;       ///< reductions on the path; each of its 2 (p - 1) steps has an alpha
  };
  /// Computes when each rank is through, from the times at which the ranks enter.
  void work_out(const UniformSteps& steps, std::span<const double> entered, std::vector<End>& ends);
  /// The same, and adds to `flights` when messages are under way. Returns false, with nothing computed for them, if
  /// that needs a look at every step.
  bool work_out(const UniformSteps& steps, std::span<const double> entered, std::vector<End>& ends, Flights& flights);

private:
  /// The loss of a path; `reduced`: the part that comes from smaller or omitted reductions.
  struct Loss {
    double seconds = 0, reduced = 0;
  };
  /// A path's start less its losses.
  struct Best {
    double value = 0;
    std::size_t origin = 0;
    double reduced = 0;
    void offer(const Best& other) {
      if (other.value > value) *this = other;
    }
    void offer(const Best& other, const Loss& loss) {
      if (other.value - loss.seconds > value)
        *this = {other.value - loss.seconds, other.origin, other.reduced + loss.reduced};
    }
  };
  void set_phase(const UniformSteps& steps, bool reducing);
  [[nodiscard]] Loss loss(double small_steps, double small_twos, double large_twos) const;
  [[nodiscard]] Loss in(std::size_t height) const;
  [[nodiscard]] Loss out(std::size_t depth) const;
  void cross_phase(std::vector<Best>& large) const;
  void find_best(const UniformSteps& steps, std::span<const double> entered);
  [[nodiscard]] bool fly(const UniformSteps& steps, std::span<const double> entered, double last, Flights& flights);
  [[nodiscard]] bool seamless(const UniformSteps& steps, std::span<const double> entered) const;

  // of a phase:
  double step_loss_ = 0, small_gamma_ = 0, large_gamma_ = 0;
  bool by_twos_ = false;
  std::vector<Best> best_; ///< of each block
  double last_ = 0;        ///< when the last rank is through
};

} // namespace gradflight
