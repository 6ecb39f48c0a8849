// A plot in Vega-Lite's format, for readers who want to zoom: the same points, axes and colours as the static drawing.
#pragma once

#include "analysis/run/pages/plot.hpp"

#include <nlohmann/json.hpp>
#include <vector>

namespace gradflight {

/// Without "$schema". Colours are texts "ink:NAME" (InkColor::name); the page's script replaces them by the colours of
/// the scheme. Bytes per second are shown as bits per second. Returns a null value without points.
nlohmann::ordered_json plot_specification(const Plot& plot);
/// Returns plots side by side.
nlohmann::ordered_json plot_specification(const std::vector<TitledPlot>& plots);

} // namespace gradflight
