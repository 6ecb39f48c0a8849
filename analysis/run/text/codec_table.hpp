// What a codec did to tensors, as a table and as JSON.
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

/// Sums of all; the bound is the largest of theirs.
codec::Statistics total_of(const std::vector<MeasuredTensor>& all);

/// A row for each, and for all of several.
std::string codec_statistics_table(const std::vector<MeasuredTensor>& all);
nlohmann::ordered_json codec_statistics_json(const std::string& codec, const std::vector<MeasuredTensor>& all);

} // namespace gradflight
