#include "analysis/run/result/change_rows.hpp"

#include "base/human.hpp"
#include "platforms/code/changes.hpp"

#include <fmt/format.h>

namespace gradflight {
namespace {

std::string what_text(const ChangeSpec& c) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (c.bandwidth) add("bandwidth " + human_rate(c.bandwidth->value()));
  if (c.latency) add("latency " + human_seconds(c.latency->value()));
  if (c.compute_speed) add(fmt::format("compute speed {:.6g}", *c.compute_speed));
  if (c.up) add(*c.up ? "up" : "down");
  return text;
}

} // namespace

std::vector<ChangeRow> changes_until(const std::vector<ChangeSpec>& changes, double end) {
  Occurrences times;
  for (const ChangeSpec& change : changes) times.add(change.times());
  std::vector<ChangeRow> rows;
  while (!times.pending().empty() && times.next() <= end && rows.size() < change_rows_kept) {
    const double at = times.next();
    const std::size_t entry = times.take();
    rows.push_back({at, entry, change_target(changes[entry]), what_text(changes[entry])});
  }
  return rows;
}

} // namespace gradflight
