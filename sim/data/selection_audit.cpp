#include "sim/data/selection_audit.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace gradflight {
namespace {

/// Indices of the k largest magnitudes, ascending; ties to the lower index.
std::vector<std::uint32_t> exact_top(const std::vector<double>& sum, std::size_t k) {
  std::vector<std::uint32_t> order(sum.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto larger = [&](std::uint32_t a, std::uint32_t b) {
    const double x = std::abs(sum[a]), y = std::abs(sum[b]);
    return x != y ? x > y : a < b;
  };
  std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k) - 1, order.end(), larger);
  order.resize(k);
  std::sort(order.begin(), order.end());
  return order;
}

} // namespace

void SelectionAudit::selected(int bucket, std::int64_t iteration, const codec::SparseVector& selected,
                              std::span<const float> kept) {
  Exchange& exchange = open_[{bucket, iteration}];
  exchange.whole.resize(kept.size(), 0.0);
  exchange.selected.resize(kept.size(), 0.0);
  double mass = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    exchange.whole[i] += static_cast<double>(kept[i]);
    whole_mass_ += std::abs(static_cast<double>(kept[i]));
  }
  for (std::size_t i = 0; i < selected.size(); ++i) {
    const auto value = static_cast<double>(selected.values[i]);
    exchange.whole[selected.indices[i]] += value;
    exchange.selected[selected.indices[i]] += value;
    mass += std::abs(value);
  }
  exchange.selected_mass += mass;
  selected_mass_ += mass;
  whole_mass_ += mass;
}

void SelectionAudit::received(int bucket, std::int64_t iteration, const codec::SparseVector& result) {
  const auto found = open_.find({bucket, iteration});
  Exchange& exchange = found->second;
  if (++exchange.received < workers_) return;
  const std::vector<std::uint32_t> exact = exact_top(exchange.whole, result.size());
  std::vector<std::uint32_t> both;
  std::ranges::set_intersection(exact, result.indices, std::back_inserter(both));
  shared_ += static_cast<double>(both.size());
  entries_ += static_cast<double>(result.size());
  judged_mass_ += exchange.selected_mass;
  for (std::size_t i = 0; i < result.size(); ++i)
    lost_mass_ += std::abs(exchange.selected[result.indices[i]] - static_cast<double>(result.values[i]));
  open_.erase(found);
}

SelectionResult SelectionAudit::result() const {
  SelectionResult result;
  result.selected_mass_share = whole_mass_ > 0 ? selected_mass_ / whole_mass_ : 1;
  if (entries_ == 0) return result;
  result.shared_index_share = shared_ / entries_;
  result.lost_mass_share = judged_mass_ > 0 ? lost_mass_ / judged_mass_ : 0;
  return result;
}

} // namespace gradflight
