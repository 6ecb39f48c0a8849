#include "platforms/code/outages.hpp"

#include "platforms/code/platform.hpp"
#include <algorithm>
#include <queue>

namespace gradflight {

Outages::Outages(const FailureSpec& failures, const std::vector<Component>& components, int repeat)
    : failures_(failures), components_(components), seed_(failures.seed + repeat), drawn_(components.size()),
      fails_(components.size()) {
  for (const auto& rate : failures.rates) shapes_.emplace_back(rate ? rate->shape : 1);
  pending_.reserve(components.size());
  for (std::uint32_t c = 0; c < components.size(); ++c) {
    draw(c, 0);
    const Component& component = components[c];
    if (component.node < 0 || failures.at(component.kind)->shape == 1) continue;
    const auto node = static_cast<std::size_t>(component.node);
    if (aging_.size() <= node) aging_.resize(node + 1);
    aging_[node].push_back(c);
  }
}

double Outages::next() const {
  return pending_.empty() ? std::numeric_limits<double>::infinity() : pending_.front().at;
}

void Outages::draw(std::uint32_t component, double from) {
  constexpr std::uint32_t of_failures = 0x10000; // keeps these sequences apart from those of jitter
  const Component& which = components_[component];
  const auto kind = static_cast<std::uint32_t>(which.kind);
  const FailureRate& rate = *failures_.at(which.kind);
  Uniforms uniform(seed_, static_cast<std::uint32_t>(which.number), drawn_[component]++, of_failures + kind);
  const double at = from + rate.mtbf.value() * shapes_[kind].draw(uniform);
  double until = std::numeric_limits<double>::infinity();
  if (rate.mttr) until = at + rate.mttr->value() * (rate.constant_repair ? 1 : exponential(uniform));
  fails_[component] = at;
  pending_.push_back({{at, until, component}, drawn_[component]});
  std::ranges::push_heap(pending_, Later());
}

void Outages::pop() {
  std::ranges::pop_heap(pending_, Later());
  pending_.pop_back();
}

/// Drops outages of replaced components until the next one is valid.
void Outages::drop_replaced() {
  while (!pending_.empty() && pending_.front().drawn != drawn_[pending_.front().component]) pop();
}

Outage Outages::take() { return take_and_renew(std::nullopt); }

Outage Outages::take_replaced(double at) {
  const Outage outage = take_and_renew(at);
  replace_node(components_[outage.component].node, at);
  return outage;
}

/// Components that do not age fail alike, old and new.
void Outages::replace_node(int node, double at) {
  if (node < 0 || static_cast<std::size_t>(node) >= aging_.size()) return;
  for (const std::uint32_t component : aging_[static_cast<std::size_t>(node)])
    if (fails_[component] >= at) draw(component, at);
  drop_replaced();
}

Outage Outages::take_and_renew(std::optional<double> replaced) {
  const Outage outage = pending_.front();
  pop();
  if (taken_) taken_(outage);
  const double from = replaced.value_or(outage.until);
  if (from < std::numeric_limits<double>::infinity()) draw(outage.component, from);
  drop_replaced();
  return outage;
}

std::vector<PlatformChange> changes_of_outages(Outages& outages, const std::vector<Component>& components,
                                               const Platform& platform, double horizon) {
  struct Edge {
    double at;
    std::uint32_t component;
    bool up;
  };
  std::vector<Edge> edges;
  while (outages.next() <= horizon) {
    const Outage outage = outages.take();
    if (outage.until == outage.at) continue; // repaired at once
    edges.push_back({outage.at, outage.component, false});
    if (outage.until < std::numeric_limits<double>::infinity()) edges.push_back({outage.until, outage.component, true});
  }
  // At one instant, repairs come before failures, since another failure may keep the same link down.
  std::ranges::stable_sort(edges,
                           [](const Edge& a, const Edge& b) { return a.at != b.at ? a.at < b.at : a.up > b.up; });
  std::vector<PlatformChange> changes;
  std::vector<int> link_holds(platform.links().size()), place_holds(platform.places().size());
  const auto apply = [&](const Edge& edge, PlatformChange::What what, std::int32_t of, int& holds) {
    const bool was_down = holds > 0;
    holds += edge.up ? -1 : 1;
    if (was_down != (holds > 0)) changes.push_back({what, of, edge.at, 0, edge.up ? 1.0 : 0.0, -1});
  };
  for (const Edge& edge : edges) {
    const Component& component = components[edge.component];
    for (const std::int32_t link : component.links)
      apply(edge, PlatformChange::What::link_state, link, link_holds[static_cast<std::size_t>(link)]);
    for (const std::int32_t place : component.places)
      apply(edge, PlatformChange::What::place_state, place, place_holds[static_cast<std::size_t>(place)]);
  }
  return changes;
}

} // namespace gradflight
