#include "analysis/run/result/bounds_json.hpp"

#include <nlohmann/json.hpp>

namespace gradflight {

nlohmann::ordered_json bounds_json(const std::vector<Bound>& bounds) {
  auto list = nlohmann::ordered_json::array();
  for (const Bound& bound : bounds)
    list.push_back({{"what", bounding_name(bound.what)}, {"share", bound.share}, {"name", bound.noun()}});
  return list;
}

} // namespace gradflight
