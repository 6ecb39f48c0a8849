// The terms of the closed forms: the alpha-beta-gamma parameters of a network, and the three parts of a cost.
//
// Symbols of every form in models/forms: p ranks; n bytes of the exchanged vector; alpha seconds per message; beta
// seconds per byte on the wire; gamma seconds per byte of a received operand. lg is the logarithm to base 2. All forms
// assume full-duplex links, one port per rank, equal links, and equally fast ranks that start together. They also
// assume that a step of n bytes costs alpha + n beta (docs/closed-forms.md).
#pragma once

namespace gradflight {

/// Seconds per message, per byte, and per reduced byte.
struct LinkParameters {
  double alpha = 0, beta = 0, gamma = 0;

  /// Scales the costs per byte, for a form that counts bytes before compression: `times` as many bytes are sent and
  /// reduced.
  [[nodiscard]] constexpr LinkParameters with_bytes(double times) const { return {alpha, beta * times, gamma * times}; }
};

/// Seconds that an exchange spends on latency, on bandwidth and on reductions; they sum to its time.
struct CollectiveCost {
  double alpha = 0, beta = 0, gamma = 0;

  [[nodiscard]] constexpr double total() const { return alpha + beta + gamma; }
  constexpr CollectiveCost& operator+=(const CollectiveCost& other) {
    alpha += other.alpha;
    beta += other.beta;
    gamma += other.gamma;
    return *this;
  }
  friend constexpr CollectiveCost operator+(CollectiveCost a, const CollectiveCost& b) { return a += b; }
  friend constexpr CollectiveCost operator*(double k, const CollectiveCost& c) {
    return {k * c.alpha, k * c.beta, k * c.gamma};
  }
};

/// The cost of `messages` messages on the critical path, `bytes` bytes on its links, and `reduced` bytes in its
/// reductions.
constexpr CollectiveCost cost_of(const LinkParameters& link, double messages, double bytes, double reduced) {
  return {messages * link.alpha, bytes * link.beta, reduced * link.gamma};
}

/// floor(lg p) and ceil(lg p) of p >= 1.
constexpr int floor_lg(int p) {
  int rounds = 0;
  while (p > 1) {
    p >>= 1;
    ++rounds;
  }
  return rounds;
}
constexpr int ceil_lg(int p) { return p <= 1 ? 0 : floor_lg(p - 1) + 1; }

/// The largest power of two that is at most p >= 1.
constexpr int power_of_two_below(int p) { return 1 << floor_lg(p); }
constexpr bool is_power_of_two(int p) { return p >= 1 && (p & (p - 1)) == 0; }

} // namespace gradflight
