// What the charts of several pages have in common, as Vega-Lite reads it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace gradflight {

using ChartJson = nlohmann::ordered_json;

/// A field on a logarithmic axis: all values above 0. `axis`: Vega-Lite's properties of it.
ChartJson log_encoding(const std::string& field, const std::string& title, const ChartJson& axis);

} // namespace gradflight
