// A plot as Vega-Lite reads it, for those who want to zoom: the same points, axes and colours as its drawing.
#pragma once

#include "analysis/run/pages/plot.hpp"

#include <nlohmann/json.hpp>
#include <vector>

namespace gradflight {

/// Without "$schema". Colours are texts "ink:NAME" (InkColor::name), which the page's script replaces by the scheme's.
/// Bytes per second are shown as bits per second. A null value where there are no points.
nlohmann::ordered_json plot_specification(const Plot& plot);
/// Beside each other.
nlohmann::ordered_json plot_specification(const std::vector<TitledPlot>& plots);

} // namespace gradflight
