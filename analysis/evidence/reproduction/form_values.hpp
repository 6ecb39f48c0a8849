// What a closed form says in the place of a simulated quantity.
#pragma once

#include "analysis/run/prepared.hpp"
#include "scenarios/language/packs/pack.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gradflight {

/// A figure's expression with the forms' times in place of the simulated ones. `runs`, `readings`: of the expression,
/// in its order. What no network has a say in (compute and update times, bytes) keeps its simulated value. Nothing
/// where the figure is no number, reads no time, or one for which there is no form.
///
/// The form's time of an iteration is its time over all n of them less that over the first n - 1, as the simulated one
/// is the distance of the last two updates.
std::optional<double> form_of_figure(const PackFigure& figure, const std::vector<const Prepared*>& runs,
                                     const std::vector<double>& readings);

} // namespace gradflight
