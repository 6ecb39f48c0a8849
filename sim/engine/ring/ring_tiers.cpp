// The tiers of links that hold up a ring's critical paths, for edges that differ in their tiers. Also what changes
// of links cost them.
#include "sim/engine/ring/ring_shortcut.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace gradflight {

/// Paths count as equally long if they differ by less than this share of their length: blocks may differ by an element.
static constexpr double nearly = 1e-6;

/// Sets each `to[i]` to the value of slot i, or of slot i + 1 if its time is later than that of slot i and `gamma[i]`
/// (null: 0). Both values are read first, so that there is no branch: which side is later has no pattern.
static void take_later(const double* time, const double* gamma, const double* values, std::size_t count, double* to) {
  const auto take = [&](auto extra) {
    for (std::size_t i = 0; i < count; ++i) {
      const double here = values[i], next = values[i + 1];
      to[i] = time[i + 1] > time[i] + extra(i) ? next : here;
    }
  };
  if (gamma != nullptr)
    take([gamma](std::size_t i) { return gamma[i]; });
  else
    take([](std::size_t) { return 0.0; });
}

void RingShortcut::lay_out_tiers() {
  same_tiers_ = std::ranges::all_of(tiers_, [&](std::uint32_t tiers) { return tiers == tiers_.front(); });
  tier_lanes_.clear();
  if (same_tiers_ || only_times_) return;
  const std::size_t p = tiers_.size();
  for (std::size_t tier = 1; tier < link_tiers; ++tier) { // the first tier has the rest
    const auto share = [tier](std::uint32_t tiers) {
      return (tiers >> tier & 1) != 0 ? 1.0 / std::popcount(tiers) : 0;
    };
    TierLane lane{tier, std::vector<double>(p), std::vector<double>(p + 1, 0), std::vector<double>(p + 1, 0)};
    std::ranges::transform(tiers_, lane.of_edge.begin(), share);
    if (std::ranges::any_of(lane.of_edge, [](double of_edge) { return of_edge > 0; }))
      tier_lanes_.push_back(std::move(lane));
  }
}

/// Returns the bandwidth of an edge without changes.
double RingShortcut::own_bandwidth(std::size_t edge) const {
  double own = std::numeric_limits<double>::infinity();
  for (const std::int32_t link : links_[edge]) own = std::min(own, delays_->own_bandwidth(link));
  return own;
}

/// The edges with the slowest messages hold up every path, as others would if no link had changed. Finds the
/// difference, and the edges whose changes cause it.
void RingShortcut::find_changed_edges() {
  changed_.clear();
  if (delays_ == nullptr || only_times_) return;
  const double bytes = vector_.bytes(large_bytes_);
  const auto own_seconds = [&](std::size_t i) {
    double seconds = alpha_[i] + bytes / own_bandwidth(i);
    for (const std::int32_t link : links_[i]) seconds += delays_->own_latency(link) - state_->latency(link);
    return seconds;
  };
  double most = 0, own_most = 0;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    most = std::max(most, message_seconds(i));
    own_most = std::max(own_most, own_seconds(i));
  }
  changed_share_ = 1 - own_most / most;
  if (!(std::abs(changed_share_) > nearly)) return;
  constexpr std::size_t enough = 16; // of many that are alike
  for (std::size_t i = 0; i < links_.size() && changed_.size() < enough; ++i)
    if (changed_share_ > 0 ? message_seconds(i) >= most * (1 - nearly) : own_seconds(i) >= own_most * (1 - nearly))
      changed_.push_back(i);
}

/// Adds what changes have cost a path that needed `alpha` and `beta` seconds for its messages. The links of a changed
/// edge have parts in proportion to what they add to its messages.
void RingShortcut::note_costs(TracedPath& path, double alpha, double beta) const {
  using enum PlatformChange::What;
  const double of_edge = changed_share_ * (alpha + beta) / static_cast<double>(changed_.size());
  for (const std::size_t i : changed_) {
    const auto added = [this](std::int32_t link) { return state_->latency(link) - delays_->own_latency(link); };
    const double own = own_bandwidth(i), by_bandwidth = send_.large[i] - vector_.bytes(large_bytes_) / own;
    double all = by_bandwidth;
    for (const std::int32_t link : links_[i]) all += added(link);
    if (all == 0) continue;
    for (const std::int32_t link : links_[i])
      path.last_delay = delays_->add_cost(path.last_delay, latency, link, of_edge * added(link) / all);
    const auto narrow = [&](std::int32_t link) {
      return by_bandwidth > 0 ? state_->bandwidth(link) <= bandwidth_[i] : delays_->own_bandwidth(link) <= own;
    };
    const auto count = static_cast<double>(std::ranges::count_if(links_[i], narrow));
    for (const std::int32_t link : links_[i])
      if (narrow(link))
        path.last_delay = delays_->add_cost(path.last_delay, bandwidth, link, of_edge * by_bandwidth / all / count);
  }
}

/// Returns the seconds that the links of one tier have held up a path, for the tier with the most.
double RingShortcut::most_held(const Coming& path, LaneValues values) const {
  const Rank& origin = ranks_[static_cast<std::size_t>(path.origin)];
  HeldBy held = origin.path.held;
  held.front() += path.time - origin.time - path.alpha - path.gamma - path.interference;
  for (const TierLane& lane : tier_lanes_) {
    const double seconds = (lane.*values)[path.slot];
    held[lane.tier] += seconds;
    held.front() -= seconds;
  }
  return *std::ranges::max_element(held);
}

/// Returns whether, of two paths of equal length and parts, the first one leaves less to the tier that holds it up
/// most. A faster link of that tier gains no more than that, because the other path remains.
bool RingShortcut::more_even(const Coming& path, const Coming& other, LaneValues values) const {
  constexpr double clearly = 1e-9;
  const auto differ = [&](double near) {
    const auto apart = [near](double a, double b) { return std::abs(a - b) > near; };
    return apart(path.time, other.time) || apart(path.alpha, other.alpha) || apart(path.gamma, other.gamma) ||
           apart(path.interference, other.interference);
  };
  if (differ(nearly * other.time)) return false; // most do, and the ranks need not be looked up
  const auto entered = [this](const Coming& of) { return ranks_[static_cast<std::size_t>(of.origin)].time; };
  const double near = nearly * (other.time - entered(other));
  if (differ(near) || std::abs(entered(path) - entered(other)) > near) return false;
  return most_held(path, values) < most_held(other, values) * (1 - clearly);
}

/// Returns whether the choice between the paths in two slots may matter. Most paths clearly differ in length or were
/// held up alike, which is cheap to check.
bool RingShortcut::may_matter(const RingLanes& lanes, std::size_t a, double a_time, std::size_t b, double b_time,
                              LaneValues values) const {
  if (std::abs(a_time - b_time) > nearly * std::max(a_time, b_time)) return false;
  return lanes.origin[a] != lanes.origin[b] ||
         std::ranges::any_of(tier_lanes_, [&](const TierLane& lane) { return (lane.*values)[a] != (lane.*values)[b]; });
}

/// For what send_ring() gathers: a message's path leads through the side that the other has waited for.
void RingShortcut::hold_messages() {
  if (tier_lanes_.empty()) return;
  const std::size_t p = links_.size();
  for (TierLane& lane : tier_lanes_) {
    take_later(states_.time.data(), nullptr, lane.ranks.data(), p, lane.messages.data() + 1);
    for (std::size_t i = 0; i < p; ++i) lane.messages[i + 1] += lane.of_edge[i] * beta_[i];
  }
  const auto of = [this](std::size_t slot) {
    return Coming{states_.time[slot],         states_.alpha[slot],  states_.gamma[slot],
                  states_.interference[slot], states_.origin[slot], slot};
  };
  for (std::size_t i = 0; i < p; ++i) {
    if (!may_matter(states_, i, states_.time[i], i + 1, states_.time[i + 1], &TierLane::ranks)) continue;
    const bool right = states_.time[i + 1] > states_.time[i];
    const std::size_t taken = right ? i + 1 : i, other = right ? i : i + 1;
    if (!more_even(of(other), of(taken), &TierLane::ranks)) continue;
    origins_.emplace_back(i, states_.origin[other]);
    for (TierLane& lane : tier_lanes_) lane.messages[i + 1] = lane.ranks[other] + lane.of_edge[i] * beta_[i];
  }
  for (TierLane& lane : tier_lanes_) lane.messages[0] = lane.messages[p];
}

/// Like hold_messages(), for receive_ring().
void RingShortcut::hold_ranks() {
  if (tier_lanes_.empty()) return;
  const std::size_t p = links_.size();
  const double* reduced = reduces_ ? gamma_.data() : nullptr;
  const auto reducing = [reduced](std::size_t i) { return reduced != nullptr ? reduced[i] : 0; };
  for (TierLane& lane : tier_lanes_)
    take_later(messages_.time.data(), reduced, lane.messages.data(), p, lane.ranks.data());
  for (std::size_t i = 0; i < p; ++i) {
    const double received = messages_.time[i] + reducing(i), sent = messages_.time[i + 1];
    if (!may_matter(messages_, i, received, i + 1, sent, &TierLane::messages)) continue;
    const auto of = [&](std::size_t slot) {
      const double gamma = slot == i ? reducing(i) : 0;
      return Coming{messages_.time[slot] + gamma, messages_.alpha[slot],  messages_.gamma[slot] + gamma,
                    messages_.interference[slot], messages_.origin[slot], slot};
    };
    const std::size_t taken = sent > received ? i + 1 : i, other = sent > received ? i : i + 1;
    if (!more_even(of(other), of(taken), &TierLane::messages)) continue;
    origins_.emplace_back(i, messages_.origin[other]);
    for (TierLane& lane : tier_lanes_) lane.ranks[i] = lane.messages[other];
  }
  for (TierLane& lane : tier_lanes_) lane.ranks[p] = lane.ranks[0];
}

/// Takes over the choices among equal paths. `first`: slot of the first edge or rank.
void RingShortcut::take_origins(RingLanes& lanes, std::size_t first) {
  if (origins_.empty()) return;
  const std::size_t p = links_.size();
  const auto entered = [this](std::int64_t origin) { return ranks_[static_cast<std::size_t>(origin)].time; };
  for (const auto& [slot, chosen] : origins_) {
    std::int64_t& origin = lanes.origin[slot + first];
    if (entered(chosen) == entered(origin)) origin = chosen;
  }
  lanes.origin[first == 0 ? p : 0] = lanes.origin[first == 0 ? 0 : p];
  origins_.clear();
}

} // namespace gradflight
