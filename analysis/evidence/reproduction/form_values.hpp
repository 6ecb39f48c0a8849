// Replaces simulated quantities by those of a closed form.
#pragma once

#include "analysis/run/prepared.hpp"
#include "scenarios/language/packs/pack.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gradflight {

/// Returns a figure's expression with the times of closed forms instead of simulated ones. `runs` and `readings` belong
/// to the expression, in its order. Values independent of the network (compute and update times, bytes) stay simulated.
/// Returns nothing if the figure is not a number, or reads no time, or a time without a form.
///
/// The form's time of an iteration is its time over all n iterations minus that over the first n - 1. The simulated
/// time is the distance of the last two updates.
std::optional<double> form_of_figure(const PackFigure& figure, const std::vector<const Prepared*>& runs,
                                     const std::vector<double>& readings);

} // namespace gradflight
