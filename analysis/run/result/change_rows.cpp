#include "analysis/run/result/change_rows.hpp"

#include "base/human.hpp"
#include "scenarios/language/tables/node_numbers.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>

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

struct Next {
  double at;
  std::size_t entry;
  double round;
  bool operator>(const Next& other) const { return at != other.at ? at > other.at : entry > other.entry; }
};

} // namespace

std::string change_target(const ChangeSpec& change) {
  if (!change.link.empty()) return change.link;
  if (!change.nic.empty()) return "NIC " + change.nic;
  if (!change.switch_name.empty()) return "switch " + change.switch_name;
  if (change.gpu) return fmt::format("GPU {}", *change.gpu);
  return fmt::format("node{} {}", change.nodes.size() > 1 ? "s" : "", format_node_numbers(change.nodes));
}

std::vector<ChangeRow> changes_until(const std::vector<ChangeSpec>& changes, double end) {
  std::vector<Next> pending;
  for (std::size_t i = 0; i < changes.size(); ++i) pending.push_back({changes[i].at.value(), i, 0});
  std::ranges::make_heap(pending, std::greater<>());
  std::vector<ChangeRow> rows;
  while (!pending.empty() && pending.front().at <= end && rows.size() < change_rows_kept) {
    std::ranges::pop_heap(pending, std::greater<>());
    Next& next = pending.back();
    const ChangeSpec& change = changes[next.entry];
    rows.push_back({next.at, next.entry, change_target(change), what_text(change)});
    const double again = change.period ? change.at.value() + (next.round + 1) * change.period->value() : next.at;
    if (again > next.at) {
      next.at = again;
      ++next.round;
      std::ranges::push_heap(pending, std::greater<>());
    } else {
      pending.pop_back();
    }
  }
  return rows;
}

} // namespace gradflight
