// The effect of a codec on tensors, as a table and as JSON.
#pragma once

#include "models/codecs/statistics.hpp"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace gradflight {

struct MeasuredTensor {
  std::string name;
  codec::Statistics statistics;
};

/// Returns the sums over all; the bound is the largest of all bounds.
codec::Statistics total_of(const std::vector<MeasuredTensor>& all);

/// Returns a row for each tensor, and one for all if there are several.
std::string codec_statistics_table(const std::vector<MeasuredTensor>& all);
nlohmann::ordered_json codec_statistics_json(const std::string& codec, const std::vector<MeasuredTensor>& all);

} // namespace gradflight
