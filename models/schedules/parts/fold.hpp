// Any p for algorithms that need a power of two: fold the extra ranks before, and unfold them after.
//
// As in MPICH (Thakur et al. 2005): p2 is the largest power of two <= p and e = p - p2. The first 2e ranks form pairs.
// Each even rank sends its vector to the next odd one, does not take part in the core, and receives the result at the
// end. Adds 2 alpha + 2 n beta + n gamma if e > 0, if the others do not send to the pairs meanwhile.
#pragma once

#include "models/forms/collective_cost.hpp"
#include "models/schedules/parts/steps.hpp"
#include "models/schedules/parts/steps_form.hpp"

#include <bit>
#include <vector>

namespace gradflight {

class Fold {
public:
  explicit Fold(int p)
      : core_(static_cast<int>(std::bit_floor(static_cast<unsigned>(p)))), extra_(p - core_),
        rounds_(std::countr_zero(static_cast<unsigned>(core_))) {}

  [[nodiscard]] int core() const { return core_; }     ///< p2
  [[nodiscard]] int rounds() const { return rounds_; } ///< log2 p2
  [[nodiscard]] bool folded(int rank) const { return rank < 2 * extra_ && rank % 2 == 0; }
  [[nodiscard]] bool carrier(int rank) const { return rank < 2 * extra_ && rank % 2 == 1; }
  /// Place in the core of a rank that is not folded, 0..p2-1; and the reverse.
  [[nodiscard]] int place(int rank) const { return rank < 2 * extra_ ? rank / 2 : rank - extra_; }
  [[nodiscard]] int rank(int place) const { return place < extra_ ? 2 * place + 1 : place + extra_; }

  [[nodiscard]] int steps(int rank, int core_steps) const {
    if (folded(rank)) return 2;
    return core_steps + (carrier(rank) ? 2 : 0);
  }

  /// The step of a rank. `core_step(place, index)` returns the core's step, with places for `to` and `from`.
  template <class CoreStep>
  [[nodiscard]] Step step(std::int64_t n, int rank, int index, int core_steps, CoreStep core_step) const {
    const Range all{0, n};
    if (folded(rank)) return index == 0 ? send_step(rank + 1, all) : receive_step(rank + 1, all, Combine::take);
    if (carrier(rank)) {
      if (index == 0) return receive_step(rank - 1, all, Combine::reduce);
      if (index == core_steps + 1) return send_step(rank - 1, all);
      --index;
    }
    Step step = core_step(place(rank), index);
    step.to = this->rank(step.to);
    step.from = this->rank(step.from);
    return step;
  }

private:
  int core_, extra_, rounds_;
};

/// Adds the fold to a form's path: the extra ranks' vectors before, and the result after.
inline std::vector<PathMessages> folded_path(std::vector<PathMessages> core, int p, std::int64_t elements) {
  if (is_power_of_two(p)) return core;
  core.push_back({1, elements, Received::added});
  core.push_back({1, elements, Received::taken});
  return core;
}

} // namespace gradflight
