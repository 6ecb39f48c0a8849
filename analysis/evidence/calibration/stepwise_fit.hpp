// A fit that asks for one round of predictions after the other, so that many fits can share what is simulated for them,
// and be simulated together.
//
// Minimiser: Gauss-Newton steps within a box that grows and shrinks with how well the last step was predicted (Nocedal
// & Wright, Numerical Optimization, 10.3 and 4.1), slopes from differences at the start and near the end, and kept up
// to date from step to step between them (Broyden, Math. Comp. 19, 1965). It takes some ten rounds where fit() takes a
// hundred, and, as that does, ends at a minimum that need not be the only one.
#pragma once

#include "analysis/evidence/calibration/fit.hpp"

namespace gradflight {

class StepwiseFit {
public:
  /// Squared residuals only, of unknown scatter. Throws std::invalid_argument as fit() does.
  StepwiseFit(std::vector<FitParameter> parameters, std::vector<FitTarget> targets, const FitOptions& options);

  /// Parameters at which predictions are wanted; none: it has ended.
  [[nodiscard]] const std::vector<std::vector<double>>& wanted() const { return wanted_; }
  /// All targets' predictions at each of wanted(), in order.
  void answer(const std::vector<std::vector<double>>& predictions);
  /// Once it has ended.
  [[nodiscard]] FitResult result() const;

private:
  using Vector = std::vector<double>;
  enum class Asked { start, slopes, step };
  void ask(Asked asked, std::vector<Vector> units);
  void ask_slopes(Asked asked);
  void take_slopes(const std::vector<Vector>& predictions);
  void take_step(const Vector& predicted);
  void go_on();
  [[nodiscard]] Vector best_step() const;
  [[nodiscard]] Vector predicted_residuals(const Vector& step) const;
  [[nodiscard]] Vector residuals(const Vector& predicted) const;

  std::vector<FitParameter> parameters_;
  std::vector<FitTarget> targets_;
  FitOptions options_;
  Asked asked_ = Asked::start;
  std::vector<Vector> wanted_, units_;  ///< what is asked for, in the parameters' units and as fractions of the bounds
  Vector unit_, predicted_, residuals_; ///< of the best point so far
  std::vector<Vector> slopes_;          ///< [parameter][target]
  std::vector<Vector> measured_;        ///< the same as differences last gave them, without updates
  Vector measured_at_;                  ///< where that was
  double reach_ = 0;                    ///< half the box's side
  int evaluations_ = 0;
  bool converged_ = false;
};

} // namespace gradflight
