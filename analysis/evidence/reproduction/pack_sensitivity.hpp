// The sensitivity of a pack's figures to its numbers and choices, by new simulations with each of them changed.
#pragma once

#include "analysis/evidence/reproduction/pack_runs.hpp"

#include <functional>
#include <vector>

namespace gradflight {

/// Simulates the pack with each fitted and each given number 1 % larger, or smaller if larger is not allowed. Also
/// simulates it without each choice that settings can undo.
class PackSensitivity {
public:
  /// `checked` must outlive this object. Throws InputErrors if an experiment accepts a number neither larger nor
  /// smaller. `with_choices`: false if only the numbers are needed.
  explicit PackSensitivity(const CheckedPack& checked, bool with_choices = true);

  /// Adds the runs to simulate besides the pack's own experiments.
  void add_runs(std::vector<const WantedRun*>& wanted) const;

  /// Fills in sensitivities, input shares, dependent figures with reasons, and the choices' errors. `simulations` must
  /// contain the runs.
  void judge(PaperScore& paper, const Simulations& simulations) const;

private:
  struct Moved {
    std::vector<WantedRun> runs;
    double factor = 1;
  };
  Moved moved(const std::string& name, const std::function<PackVariant(double factor)>& variant) const;
  void judge_numbers(PaperScore& paper, const Simulations& simulations) const;
  void judge_choices(PaperScore& paper, const Simulations& simulations) const;
  std::vector<FigureScore> scores_of(const std::vector<WantedRun>& runs, const Simulations& simulations) const;

  const CheckedPack& checked_;
  std::vector<std::size_t> figures_;            ///< figures with a number
  std::vector<Moved> numbers_;                  ///< fitted numbers first, then given ones
  std::vector<std::vector<WantedRun>> choices_; ///< same indices as Pack::choices; empty: the choice cannot be undone
};

/// Assigns the role "dependent" to the figures that PackSensitivity finds dependent, so that they do not count as
/// predicted in statistics and fits. Throws ExperimentsFailed.
void mark_dependent(CheckedPack& checked, const PackSensitivity& sensitivity, Simulations& simulations);

/// Returns the name of the pack's number `index`: fitted ones first, then given ones.
const std::string& number_name(const Pack& pack, std::size_t index);

/// Returns why a predicted figure with these sensitivities does not count; empty if it does. It does not count with
/// more than 75 % input time. It also does not count if it is proportional (within 2 %) to only one fitted number, or
/// to its inverse.
std::string dependent_reason(const Pack& pack, const std::vector<double>& sensitivities, double input_share);

} // namespace gradflight
