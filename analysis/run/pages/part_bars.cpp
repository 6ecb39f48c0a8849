#include "analysis/run/pages/part_bars.hpp"

#include <algorithm>
#include <utility>

namespace gradflight {

PartBars::Row path_bar(std::string name, const Path& path, std::string note) {
  PartBars::Row row{std::move(name), {}, std::move(note)};
  for (std::size_t i = 0; i < path.size(); ++i) {
    const auto part = static_cast<Part>(i);
    row.pieces.push_back({part_name(part), part_ink(part), path[i]});
  }
  return row;
}

PageBar bounds_bar(const std::vector<Bound>& bounds) {
  PageBar bar;
  for (const Bound& bound : bounds) bar.parts.push_back({bound.share, bounding_ink(bound.what), bound.noun()});
  return bar;
}

std::vector<PageBar::Part> bounds_legend(const std::vector<std::vector<Bound>>& all) {
  std::vector<PageBar::Part> parts;
  for (const std::vector<Bound>& bounds : all)
    for (PageBar::Part& part : bounds_bar(bounds).parts)
      if (std::ranges::find(parts, part.name, &PageBar::Part::name) == parts.end()) parts.push_back(std::move(part));
  return parts;
}

} // namespace gradflight
