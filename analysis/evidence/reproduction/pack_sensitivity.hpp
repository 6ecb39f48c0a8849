// How the figures of a pack hang on its numbers and on its choices: simulated again with each moved.
#pragma once

#include "analysis/evidence/reproduction/pack_runs.hpp"

#include <functional>
#include <vector>

namespace gradflight {

/// Each fitted and each given number 1 % larger (where that is not allowed: smaller), all else as written; and the pack
/// without each choice that settings leave out.
class PackSensitivity {
public:
  /// `checked` must outlive it. Throws InputErrors where an experiment takes a number neither larger nor smaller.
  /// `with_choices`: false where only the numbers are wanted.
  explicit PackSensitivity(const CheckedPack& checked, bool with_choices = true);

  /// What is to be simulated beside the pack's own experiments.
  void add_runs(std::vector<const WantedRun*>& wanted) const;

  /// Sensitivities, input shares, and what makes a figure dependent; the choices' errors. `simulations` knows the runs.
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
  std::vector<std::size_t> figures_;            ///< those with a number
  std::vector<Moved> numbers_;                  ///< fitted ones first, then given ones
  std::vector<std::vector<WantedRun>> choices_; ///< as Pack::choices; empty: cannot be left out
};

/// Gives the figures that PackSensitivity finds dependent that role, so that nothing else counts or fits them as
/// predicted. Throws ExperimentsFailed.
void mark_dependent(CheckedPack& checked, const PackSensitivity& sensitivity, Simulations& simulations);

/// The name of the pack's number `index`: fitted ones first, then given ones.
const std::string& number_name(const Pack& pack, std::size_t index);

/// Why a predicted figure with these sensitivities does not count; empty: it does. More than 75 % input time, or in
/// proportion (within 2 %) to one fitted number, or to its inverse, and to nothing else.
std::string dependent_reason(const Pack& pack, const std::vector<double>& sensitivities, double input_share);

} // namespace gradflight
