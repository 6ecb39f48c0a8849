#include "sim/engine/ring/ring_step.hpp"

#include <algorithm>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/engine/ring/ring_step.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace gradflight::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Selects the other values along with the chosen time.
template <class D, class M> HWY_INLINE auto chosen(D d, M takes_first, const double* first, const double* second) {
  return hn::IfThenElse(takes_first, hn::LoadU(d, first), hn::LoadU(d, second));
}
template <class D, class M>
HWY_INLINE auto chosen(D d, M takes_first, const std::int64_t* first, const std::int64_t* second) {
  return hn::IfThenElse(hn::RebindMask(d, takes_first), hn::LoadU(d, first), hn::LoadU(d, second));
}

/// Copies of the pointers that send() and receive() use, so that the compiler can rule out aliasing.
template <class Integer, class Real> struct Lanes {
  Real *time, *alpha, *gamma, *interference;
  Integer* origin;
};
using From = Lanes<const std::int64_t, const double>;
using To = Lanes<std::int64_t, double>;

template <class L, class R> L lanes_of(R& r) {
  return {r.time.data(), r.alpha.data(), r.gamma.data(), r.interference.data(), r.origin.data()};
}

/// Sends messages from `i` on as long as they fill vectors of `d`; returns the first that does not.
template <bool gammas, bool slows, class D>
std::size_t send_vectors(D d, std::size_t i, const RingStep step, const From ranks, const To messages, double* slowed,
                         RingExtent& extent) {
  const hn::RebindToSigned<D> integers;
  const auto slowing = hn::Set(d, step.slowing), more = hn::Set(d, step.slowing - 1);
  auto earliest_sent = hn::Set(d, extent.earliest_sent), latest_sent = hn::Set(d, extent.latest_sent);
  auto earliest_there = hn::Set(d, extent.earliest_there), latest_there = hn::Set(d, extent.latest_there);
  for (; i + hn::Lanes(d) <= step.ranks; i += hn::Lanes(d)) {
    const auto left = hn::LoadU(d, ranks.time + i), right = hn::LoadU(d, ranks.time + i + 1);
    const auto later = hn::Gt(right, left);
    const auto sent = hn::IfThenElse(later, right, left);
    const auto alpha = hn::LoadU(d, step.alpha + i), beta = hn::LoadU(d, step.beta + i);
    auto there = hn::Add(hn::Add(sent, alpha), beta);
    if constexpr (slows) {
      const auto beside = hn::Lt(sent, hn::LoadU(d, step.computing_until + i));
      there = hn::IfThenElse(beside, hn::Add(hn::Add(sent, hn::Mul(alpha, slowing)), hn::Mul(beta, slowing)), there);
      const auto gathered = chosen(d, later, ranks.interference + i + 1, ranks.interference + i);
      const auto added = hn::IfThenElseZero(beside, hn::Mul(more, hn::Add(alpha, beta)));
      hn::StoreU(hn::Add(gathered, added), d, messages.interference + i + 1);
      const auto added_beta = hn::IfThenElseZero(beside, hn::Mul(more, beta));
      hn::StoreU(hn::Add(hn::LoadU(d, slowed + i), added_beta), d, slowed + i);
    }
    hn::StoreU(there, d, messages.time + i + 1);
    hn::StoreU(hn::Add(chosen(d, later, ranks.alpha + i + 1, ranks.alpha + i), alpha), d, messages.alpha + i + 1);
    if constexpr (gammas) hn::StoreU(chosen(d, later, ranks.gamma + i + 1, ranks.gamma + i), d, messages.gamma + i + 1);
    hn::StoreU(chosen(integers, later, ranks.origin + i + 1, ranks.origin + i), integers, messages.origin + i + 1);
    earliest_sent = hn::Min(earliest_sent, sent);
    latest_sent = hn::Max(latest_sent, sent);
    earliest_there = hn::Min(earliest_there, there);
    latest_there = hn::Max(latest_there, there);
  }
  extent = {hn::GetLane(hn::MinOfLanes(d, earliest_sent)), hn::GetLane(hn::MaxOfLanes(d, latest_sent)),
            hn::GetLane(hn::MinOfLanes(d, earliest_there)), hn::GetLane(hn::MaxOfLanes(d, latest_there))};
  return i;
}

/// Like send_vectors(), for ranks.
template <bool gammas, bool slows, class D>
std::size_t receive_vectors(D d, std::size_t i, const RingStep step, const From messages, const To ranks) {
  const hn::RebindToSigned<D> integers;
  for (; i + hn::Lanes(d) <= step.ranks; i += hn::Lanes(d)) {
    const auto sent = hn::LoadU(d, messages.time + i + 1);
    auto received = hn::LoadU(d, messages.time + i);
    if constexpr (gammas) received = hn::Add(received, hn::LoadU(d, step.gamma + i));
    const auto later = hn::Gt(sent, received);
    hn::StoreU(hn::IfThenElse(later, sent, received), d, ranks.time + i);
    hn::StoreU(chosen(d, later, messages.alpha + i + 1, messages.alpha + i), d, ranks.alpha + i);
    if constexpr (gammas) {
      const auto reduced = hn::Add(hn::LoadU(d, messages.gamma + i), hn::LoadU(d, step.gamma + i));
      hn::StoreU(hn::IfThenElse(later, hn::LoadU(d, messages.gamma + i + 1), reduced), d, ranks.gamma + i);
    }
    if constexpr (slows)
      hn::StoreU(chosen(d, later, messages.interference + i + 1, messages.interference + i), d, ranks.interference + i);
    hn::StoreU(chosen(integers, later, messages.origin + i + 1, messages.origin + i), integers, ranks.origin + i);
  }
  return i;
}

template <bool gammas, bool slows>
RingExtent send(const RingStep& step, const RingLanes& ranks, RingLanes& messages, double* slowed) {
  constexpr double never = std::numeric_limits<double>::infinity();
  RingExtent extent{never, 0, never, 0};
  const auto from = lanes_of<From>(ranks);
  const auto to = lanes_of<To>(messages);
  const hn::ScalableTag<double> whole;
  const hn::CappedTag<double, 1> single;
  const auto rest = send_vectors<gammas, slows>(whole, 0, step, from, to, slowed, extent);
  send_vectors<gammas, slows>(single, rest, step, from, to, slowed, extent);
  return extent;
}

template <bool gammas, bool slows> void receive(const RingStep& step, const RingLanes& messages, RingLanes& ranks) {
  const auto from = lanes_of<From>(messages);
  const auto to = lanes_of<To>(ranks);
  const hn::ScalableTag<double> whole;
  const hn::CappedTag<double, 1> single;
  const auto rest = receive_vectors<gammas, slows>(whole, 0, step, from, to);
  receive_vectors<gammas, slows>(single, rest, step, from, to);
}

/// Only the times, by the same sums.
template <bool slows, class D>
std::size_t time_sent(D d, std::size_t i, const RingStep step, const double* ranks, double* messages) {
  const auto slowing = hn::Set(d, step.slowing);
  for (; i + hn::Lanes(d) <= step.ranks; i += hn::Lanes(d)) {
    const auto sent = hn::Max(hn::LoadU(d, ranks + i), hn::LoadU(d, ranks + i + 1));
    auto alpha = hn::LoadU(d, step.alpha + i), beta = hn::LoadU(d, step.beta + i);
    if constexpr (slows) {
      const auto beside = hn::Lt(sent, hn::LoadU(d, step.computing_until + i));
      alpha = hn::IfThenElse(beside, hn::Mul(alpha, slowing), alpha);
      beta = hn::IfThenElse(beside, hn::Mul(beta, slowing), beta);
    }
    hn::StoreU(hn::Add(hn::Add(sent, alpha), beta), d, messages + i + 1);
  }
  return i;
}
template <bool gammas, class D>
std::size_t time_received(D d, std::size_t i, const RingStep step, const double* messages, double* ranks) {
  for (; i + hn::Lanes(d) <= step.ranks; i += hn::Lanes(d)) {
    auto received = hn::LoadU(d, messages + i);
    if constexpr (gammas) received = hn::Add(received, hn::LoadU(d, step.gamma + i));
    hn::StoreU(hn::Max(hn::LoadU(d, messages + i + 1), received), d, ranks + i);
  }
  return i;
}

template <bool gammas, bool slows> void time_step(const RingStep& step, double* ranks, double* messages) {
  const hn::ScalableTag<double> whole;
  const hn::CappedTag<double, 1> single;
  time_sent<slows>(single, time_sent<slows>(whole, 0, step, ranks, messages), step, ranks, messages);
  messages[0] = messages[step.ranks];
  time_received<gammas>(single, time_received<gammas>(whole, 0, step, messages, ranks), step, messages, ranks);
  ranks[step.ranks] = ranks[0];
}

void time_lanes(const RingStep& step, double* ranks, double* messages) {
  if (step.slowing > 1)
    step.gamma != nullptr ? time_step<true, true>(step, ranks, messages)
                          : time_step<false, true>(step, ranks, messages);
  else
    step.gamma != nullptr ? time_step<true, false>(step, ranks, messages)
                          : time_step<false, false>(step, ranks, messages);
}

RingExtent send_lanes(const RingStep& step, const RingLanes& ranks, RingLanes& messages, double* slowed) {
  if (step.slowing > 1)
    return step.gamma != nullptr ? send<true, true>(step, ranks, messages, slowed)
                                 : send<false, true>(step, ranks, messages, slowed);
  return step.gamma != nullptr ? send<true, false>(step, ranks, messages, slowed)
                               : send<false, false>(step, ranks, messages, slowed);
}

void receive_lanes(const RingStep& step, const RingLanes& messages, RingLanes& ranks) {
  if (step.slowing > 1)
    step.gamma != nullptr ? receive<true, true>(step, messages, ranks) : receive<false, true>(step, messages, ranks);
  else
    step.gamma != nullptr ? receive<true, false>(step, messages, ranks) : receive<false, false>(step, messages, ranks);
}

} // namespace gradflight::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gradflight {
HWY_EXPORT(send_lanes);
HWY_EXPORT(receive_lanes);
HWY_EXPORT(time_lanes);

RingExtent send_ring(const RingStep& step, const RingLanes& ranks, RingLanes& messages, double* slowed) {
  const RingExtent extent = HWY_DYNAMIC_DISPATCH(send_lanes)(step, ranks, messages, slowed);
  messages.copy(step.ranks, 0);
  return extent;
}

void receive_ring(const RingStep& step, const RingLanes& messages, RingLanes& ranks) {
  HWY_DYNAMIC_DISPATCH(receive_lanes)(step, messages, ranks);
  ranks.copy(0, step.ranks);
}

void time_ring(const RingStep& step, RingLanes& ranks, RingLanes& messages) {
  HWY_DYNAMIC_DISPATCH(time_lanes)(step, ranks.time.data(), messages.time.data());
}

} // namespace gradflight
#endif
