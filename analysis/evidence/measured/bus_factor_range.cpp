#include "analysis/evidence/measured/bus_factor_range.hpp"

#include "analysis/evidence/measured/log_reader.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace gradflight::measured {

namespace {

/// Beyond rounding: some releases print rates and times with different means.
constexpr double slack = 1e-3;

/// larger than any cluster
constexpr int most_ranks = 1 << 24;

} // namespace

std::optional<Printed> printed_number(std::string_view text) {
  const auto value = number_of(text);
  if (!value) return std::nullopt;
  const std::size_t exponent = std::min(text.find_first_of("eE"), text.size());
  const std::size_t point = text.substr(0, exponent).find('.');
  const auto decimals = point == std::string_view::npos ? 0 : static_cast<int>(exponent - point - 1);
  const double power = exponent < text.size()
                           ? number_of(text.substr(text[exponent + 1] == '+' ? exponent + 2 : exponent + 1)).value_or(0)
                           : 0;
  return Printed{*value, 0.5 * std::pow(10.0, power - decimals)};
}

bool Rate::consistent() const {
  const double most = size / std::max(time_us.value - time_us.half_unit, 1e-9) / 1000,
               least = size / (time_us.value + time_us.half_unit) / 1000;
  return algbw.value - algbw.half_unit <= most * 1.01 && algbw.value + algbw.half_unit >= least * 0.99;
}

bool FactorRange::narrow(const Rate& rate) {
  // If times are long, size / time has more digits than algbw; if they are short, it has fewer.
  const double by_time_most = rate.size / std::max(rate.time_us.value - rate.time_us.half_unit, 1e-9) / 1000,
               by_time_least = rate.size / (rate.time_us.value + rate.time_us.half_unit) / 1000;
  const double least = std::max(rate.algbw.value - rate.algbw.half_unit, by_time_least),
               most = std::min(rate.algbw.value + rate.algbw.half_unit, by_time_most);
  const double algbw_least = std::min(least, most), algbw_most = std::max(least, most);
  if (!(algbw_least > 0)) return true; // no information
  const double from = std::max(least_, (rate.busbw.value - rate.busbw.half_unit) / algbw_most * (1 - slack)),
               to = std::min(most_, (rate.busbw.value + rate.busbw.half_unit) / algbw_least * (1 + slack));
  if (from > to) return false;
  least_ = from;
  most_ = to;
  return true;
}

bool FactorRange::holds(Operation op, int ranks) const {
  const double factor = bus_factor(op, ranks);
  return factor >= least_ && factor <= most_;
}

std::pair<int, int> FactorRange::ranks(Operation op) const {
  const double scale = op == Operation::all_reduce ? 2 : counts_blocks(op) ? 1 : 0;
  if (!known() || scale == 0 || least_ >= scale) return {0, 0};
  // factor = scale (p - 1) / p, so p = 1 / (1 - factor / scale)
  const auto ranks_at = [&](double factor) {
    return factor >= scale ? static_cast<double>(most_ranks) : std::min(1 / (1 - factor / scale), 1.0 * most_ranks);
  };
  const double first = std::max(std::ceil(ranks_at(least_) - 1e-9), 2.0), last = std::floor(ranks_at(most_) + 1e-9);
  if (first > last || (first == 2 && last == most_ranks)) return {0, 0};
  return {static_cast<int>(first), static_cast<int>(last)};
}

std::vector<Operation> FactorRange::operations(const std::vector<Operation>& possible, int ranks) const {
  std::vector<Operation> fit;
  for (const Operation op : possible) {
    // Without ranks, compare with the factors of two ranks and of a very large number.
    const bool fits = ranks > 0 ? holds(op, ranks) : bus_factor(op, 2) <= most_ && bus_factor(op, most_ranks) >= least_;
    if (fits) fit.push_back(op);
  }
  return fit;
}

std::string FactorRange::text() const { return fmt::format("busbw / algbw = {:.4g}", (least_ + most_) / 2); }

} // namespace gradflight::measured
