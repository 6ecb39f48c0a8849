// Recursive halving-doubling all-reduce (Rabenseifner), any p.
//
// Thakur et al. 2005, and Rabenseifner 2004: reduce-scatter by recursive vector halving and distance doubling, then
// all-gather by the same rounds backwards. The largest messages go to the nearest partners, as in MPICH. The vector is
// cut into p2 blocks (fold.hpp for the extra ranks); each round sends one contiguous run of blocks. Time, p = 2^k
// dividing n: 2 log2 p alpha + 2((p-1)/p) n beta + ((p-1)/p) n gamma. For other p, p2 replaces p, and 2 alpha + 2 n
// beta + n gamma are added.
#pragma once

#include "models/schedules/parts/fold.hpp"
#include "models/schedules/parts/steps_form.hpp"

namespace gradflight {

class HalvingDoubling final : public Schedule {
public:
  /// Throws std::invalid_argument unless workers >= 1.
  explicit HalvingDoubling(int workers);

  [[nodiscard]] int participants() const override { return workers_; }
  [[nodiscard]] int workers() const override { return workers_; }
  [[nodiscard]] int steps(int participant) const override;
  [[nodiscard]] Step step(std::int64_t n, int participant, int index) const override;

private:
  [[nodiscard]] Step core_step(std::int64_t n, int place, int index) const;
  int workers_;
  Fold fold_;
};

extern const StepsForm halving_doubling_form;

} // namespace gradflight
