// Recursive doubling all-reduce (butterfly), any p.
//
// Thakur et al. 2005: in round r partners at distance 2^r exchange and add their whole vectors. Extra ranks are
// folded (fold.hpp). Time, p = 2^k: log2 p (alpha + n beta + n gamma); else floor(log2 p) of these and
// 2 (alpha + n beta) + n gamma.
#pragma once

#include "models/schedules/parts/fold.hpp"
#include "models/schedules/parts/steps_form.hpp"

namespace gradflight {

class RecursiveDoubling final : public Schedule {
public:
  /// Throws std::invalid_argument unless workers >= 1.
  explicit RecursiveDoubling(int workers);

  [[nodiscard]] int participants() const override { return workers_; }
  [[nodiscard]] int workers() const override { return workers_; }
  [[nodiscard]] int steps(int participant) const override;
  [[nodiscard]] Step step(std::int64_t n, int participant, int index) const override;

private:
  int workers_;
  Fold fold_;
};

extern const StepsForm recursive_doubling_form;

} // namespace gradflight
