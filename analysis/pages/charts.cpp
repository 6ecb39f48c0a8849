#include "analysis/pages/charts.hpp"

namespace gradflight {

ChartJson log_encoding(const std::string& field, const std::string& title, const ChartJson& axis) {
  return {{"field", field},
          {"type", "quantitative"},
          {"title", title},
          {"scale", {{"type", "log"}, {"nice", false}, {"padding", 12}}},
          {"axis", axis}};
}

} // namespace gradflight
