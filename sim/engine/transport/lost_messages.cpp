#include "sim/engine/transport/lost_messages.hpp"

namespace gradflight {

LostMessages::LostMessages(const LossPolicy& policy, const Machine& machine)
    : policy_(policy), machine_(machine), known_at_(machine.links.size(), up), known_(machine.links.size(), false) {}

void LostMessages::set(std::int32_t link, bool is_up, double now) {
  const auto l = static_cast<std::size_t>(link);
  if (is_up == (known_at_[l] == up)) return;
  down_ += is_up ? -1 : 1;
  known_at_[l] = is_up ? up : now + policy_.detection;
  if (!is_up) {
    pending_.push_back(link);
  } else if (known_[l]) {
    known_[l] = false;
    changed_ = true;
  }
}

void LostMessages::notice(double now) {
  bool news = std::exchange(changed_, false);
  std::erase_if(pending_, [&](std::int32_t link) {
    const auto l = static_cast<std::size_t>(link);
    if (known_at_[l] <= now) news = known_[l] = true;
    return known_at_[l] <= now || known_at_[l] == up;
  });
  if (!news) return;
  ++knowledge_;
  if (detours_) detours_->forget();
}

void LostMessages::forget_latencies() {
  if (detours_) detours_->forget();
}

double LostMessages::alpha(const Route& route) const {
  double alpha = machine_.platform.message_overhead();
  for (const std::int32_t l : route) alpha += machine_.links.latency(l);
  return alpha;
}

bool LostMessages::usable(const Route& route) const {
  if (down_ == 0) return true;
  return policy_.reroute ? std::ranges::none_of(route, [this](std::int32_t l) { return known_down(l); })
                         : !broken(route);
}

/// Appends the route from one place to another.
bool LostMessages::leg(int from, int to, NicPair nics, Route& out, bool around) {
  if (around) {
    if (!detours_)
      detours_.emplace(machine_.platform, [this](std::int32_t link) {
        return known_down(link) ? std::numeric_limits<double>::infinity() : machine_.links.latency(link);
      });
    if (!detours_->route(from, to, leg_, nics)) return false;
  } else {
    machine_.platform.route(from, to, leg_, nics);
  }
  out.insert(out.end(), leg_.begin(), leg_.end());
  return true;
}

LostMessages::Way LostMessages::find(int from, int by, int to, NicPair nics, Route& out) {
  const auto lay = [&](bool around) {
    out.clear();
    return by < 0 ? leg(from, to, nics, out, around) : leg(from, by, {}, out, around) && leg(by, to, nics, out, around);
  };
  lay(false);
  if (usable(out)) return Way::own;
  if (policy_.reroute && lay(true) && usable(out)) return Way::detour;
  lay(false);
  return Way::none;
}

LostMessages::Posted& LostMessages::posted(MessageId id) {
  if (posted_.size() <= id) posted_.resize(id + 1);
  return posted_[id];
}

std::int64_t LostMessages::stranded_for_good(double now) const {
  return std::ranges::count_if(stranded_, [&](MessageId id) { return posted_[id].not_before <= now; });
}

} // namespace gradflight
