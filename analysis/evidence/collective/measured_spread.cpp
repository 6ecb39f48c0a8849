#include "analysis/evidence/collective/measured_spread.hpp"

#include "analysis/evidence/collective/collective_bounds.hpp"
#include "analysis/evidence/collective/nic_way.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace gradflight {

namespace {

constexpr MeasuredSpreads inside = {"inside a node", 8, {{{0.71, 1.84, 123}, {0.57, 3.45, 69}, {0.95, 1.58, 245}}}};
constexpr MeasuredSpreads own_nic = {
    "with a NIC for each GPU", 3, {{{0.98, 1.94, 86}, {1.07, 5.11, 42}, {0.94, 1.84, 190}}}};
constexpr MeasuredSpreads shared_nic = {
    "with NICs that GPUs share", 3, {{{0.69, 3.75, 125}, {1.28, 5.64, 54}, {1.18, 5.19, 43}}}};
constexpr MeasuredSpreads root = {
    "with NICs at the processor's PCIe root", 2, {{{0.93, 3.35, 64}, {1.02, 4.99, 43}, {0.96, 2.07, 656}}}};

std::size_t size_class(std::int64_t bytes) {
  return static_cast<std::size_t>(std::ranges::count_if(spread_ends, [&](auto end) { return bytes >= end; }));
}

std::string class_text(std::size_t which) {
  return which < spread_ends.size() ? "below " + size_text(spread_ends[which])
                                    : fmt::format("from {} on", size_text(spread_ends.back()));
}

} // namespace

const MeasuredSpreads* measured_spreads(const NodeSpec& node, int nodes) {
  if (nodes == 1) return &inside;
  switch (nic_way(node)) {
  case NicWay::own_nic: return &own_nic;
  case NicWay::shared_nic: return &shared_nic;
  case NicWay::root: return &root;
  case NicWay::host_memory: break;
  }
  return nullptr;
}

std::string spread_sentence(const CollectiveTable& table) {
  if (table.spreads == nullptr || table.rows.empty()) return {};
  std::string text;
  for (std::size_t which = 0; which < table.spreads->by_size.size(); ++which) {
    if (std::ranges::none_of(table.rows, [&](const auto& row) { return size_class(row.size_bytes) == which; }))
      continue;
    const MeasuredSpread& spread = table.spreads->by_size[which];
    text +=
        text.empty()
            ? fmt::format("On {} measured machines {}, nine of ten calls took {} to {} times the simulated "
                          "time {}",
                          table.spreads->machines, table.spreads->like, spread.least, spread.most, class_text(which))
            : fmt::format(", {} to {} times {}", spread.least, spread.most, class_text(which));
  }
  return text + ".";
}

} // namespace gradflight
