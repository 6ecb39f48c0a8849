#include "analysis/run/forms/closed_form_routes.hpp"

#include "base/human.hpp"
#include "platforms/code/platform.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace gradflight {
namespace {

/// Latencies of a route are summed in its own order, so equal routes may differ by rounding errors.
bool same(double a, double b) {
  if (!std::isfinite(a) || !std::isfinite(b)) return a == b;
  return std::abs(a - b) <= 1e-12 * std::max(std::abs(a), std::abs(b));
}

std::string place_name(const Platform& platform, int place) {
  const Place& at = platform.place(place);
  return at.gpu < 0 ? fmt::format("node {}", at.node) : fmt::format("node {} GPU {}", at.node, at.gpu);
}

std::string pair_name(const Platform& platform, int from, int to) {
  return fmt::format("{} to {}", place_name(platform, from), place_name(platform, to));
}

/// A route within a node may have no link.
std::string rate_text(double bandwidth) { return std::isfinite(bandwidth) ? human_rate(bandwidth) : "no link"; }

} // namespace

RouteSurvey::RouteSurvey(const Platform& platform)
    : platform_(platform), flows_(platform.links().size(), 0), users_(platform.links().size()) {}

double RouteSurvey::beta() const { return messages_ == 0 ? 0 : 1 / bandwidth_low_; }

void RouteSurvey::compare(int from, int to) {
  const Platform::Cost cost = platform_.cost(from, to);
  if (messages_++ == 0) {
    alpha_first_ = alpha_high_ = cost.alpha;
    bandwidth_first_ = bandwidth_low_ = cost.bandwidth;
    return;
  }
  alpha_high_ = std::max(alpha_high_, cost.alpha);
  bandwidth_low_ = std::min(bandwidth_low_, cost.bandwidth);
  if (unlike_alpha_.empty() && !same(cost.alpha, alpha_first_))
    unlike_alpha_ = fmt::format("{} costs {}, the first route {}", pair_name(platform_, from, to),
                                human_seconds(cost.alpha), human_seconds(alpha_first_));
  if (!unlike_.empty() || (same(cost.alpha, alpha_first_) && same(cost.bandwidth, bandwidth_first_))) return;
  Route route;
  platform_.route(from, to, route);
  const auto bandwidth = [&](std::int32_t link) { return platform_.link(link).bandwidth; };
  const auto narrowest = std::ranges::min_element(route, {}, bandwidth);
  const std::string name = narrowest == route.end() ? "" : fmt::format(" ({})", platform_.link(*narrowest).name);
  unlike_ = fmt::format("{} costs {} and has {}{}, the first route {} and {}", pair_name(platform_, from, to),
                        human_seconds(cost.alpha), rate_text(cost.bandwidth), name, human_seconds(alpha_first_),
                        rate_text(bandwidth_first_));
}

void RouteSurvey::add(const Messages& step) {
  Route route;
  for (const auto& [from, to] : step) {
    if (from == to) continue;
    compare(from, to);
    platform_.route(from, to, route);
    for (const std::int32_t link : route) {
      ++flows_[static_cast<std::size_t>(link)];
      use(link, from, to);
    }
  }
  weigh(step);
  for (const auto& [from, to] : step) {
    if (from == to) continue;
    platform_.route(from, to, route);
    for (const std::int32_t link : route) {
      std::int32_t& flows = flows_[static_cast<std::size_t>(link)];
      if (flows > 1 && shared_.empty())
        shared_ = fmt::format("{} carries {} messages at once", platform_.link(link).name, flows);
      flows = 0;
    }
  }
}

void RouteSurvey::use(std::int32_t link, int from, int to) {
  const auto note = [](std::int32_t& user, int place) {
    if (user == Users::none)
      user = place;
    else if (user != place)
      user = Users::several;
  };
  Users& users = users_[static_cast<std::size_t>(link)];
  note(users.from, from);
  note(users.to, to);
  if (users.from == Users::several && users.to == Users::several && crossed_.empty())
    crossed_ = fmt::format("{} serves several pairs", platform_.link(link).name);
}

void RouteSurvey::weigh(const Messages& step) {
  Route route;
  std::vector<double> busiest;
  busiest.reserve(step.size());
  load_ = {};
  for (const auto& [from, to] : step) {
    double seconds = 0;
    if (from != to) {
      platform_.route(from, to, route);
      for (const std::int32_t link : route)
        seconds = std::max(seconds, flows_[static_cast<std::size_t>(link)] / platform_.link(link).bandwidth);
    }
    busiest.push_back(seconds);
    load_.seconds_per_byte = std::max(load_.seconds_per_byte, seconds);
  }
  for (std::size_t i = 0; i < step.size() && load_.even; ++i) {
    if (step[i].first == step[i].second || same(busiest[i], load_.seconds_per_byte)) continue;
    load_.even = false;
    load_.uneven = fmt::format("{} is done before the others", pair_name(platform_, step[i].first, step[i].second));
  }
}

} // namespace gradflight
