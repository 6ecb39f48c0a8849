// A fit that requests one round of predictions after the other. So many fits can share simulations, and run them
// together.
//
// Minimiser: Gauss-Newton steps within a box. The box grows and shrinks with the accuracy of the last step's prediction
// (Nocedal & Wright, Numerical Optimization, 10.3 and 4.1). Slopes come from differences at the start and near the end.
// Between these, each step updates them (Broyden, Math. Comp. 19, 1965). It needs about ten rounds, and fit() about a
// hundred. Like fit(), it finds a minimum that may not be the only one.
#pragma once

#include "analysis/evidence/calibration/fit.hpp"

namespace gradflight {

class StepwiseFit {
public:
  /// Uses squared residuals with unknown scatter. Throws std::invalid_argument like fit().
  StepwiseFit(std::vector<FitParameter> parameters, std::vector<FitTarget> targets, const FitOptions& options);

  /// Parameters for which predictions are requested; empty: the fit has ended.
  [[nodiscard]] const std::vector<std::vector<double>>& wanted() const { return wanted_; }
  /// Provides all targets' predictions for each of wanted(), in order.
  void answer(const std::vector<std::vector<double>>& predictions);
  /// Call it after the fit has ended.
  [[nodiscard]] FitResult result() const;

private:
  using Vector = std::vector<double>;
  enum class Question { start, slopes, step };
  void ask(Question question, std::vector<Vector> units);
  void ask_slopes(Question question);
  void take_slopes(const std::vector<Vector>& predictions);
  void take_step(const Vector& predicted);
  void go_on();
  [[nodiscard]] Vector best_step() const;
  [[nodiscard]] Vector predicted_residuals(const Vector& step) const;
  [[nodiscard]] Vector residuals(const Vector& predicted) const;

  std::vector<FitParameter> parameters_;
  std::vector<FitTarget> targets_;
  FitOptions options_;
  Question question_ = Question::start;
  std::vector<Vector> wanted_, units_;  ///< requested points, in the parameters' units and as fractions of the bounds
  Vector unit_, predicted_, residuals_; ///< for the best point so far
  std::vector<Vector> slopes_;          ///< [parameter][target]
  std::vector<Vector> measured_;        ///< slopes from the last differences, without updates
  Vector measured_at_;                  ///< the point of these differences
  double reach_ = 0;                    ///< half the side of the box
  int evaluations_ = 0;
  bool converged_ = false;
};

} // namespace gradflight
