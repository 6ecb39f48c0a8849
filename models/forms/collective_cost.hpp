// What the closed forms are made of: the alpha-beta-gamma parameters of a network and the three parts of a cost.
//
// Symbols of every form in models/form_*.hpp: p ranks; n bytes of the exchanged vector; alpha seconds a message; beta
// seconds a byte on the wire; gamma seconds a byte of a received operand. lg is the logarithm to base 2. All forms
// assume full-duplex links, one port a rank, equal links, equally fast ranks that start together, and that a step of
// n bytes costs alpha + n beta (docs/closed-forms.md).
#pragma once

namespace gradflight {

/// Seconds a message, seconds a byte, seconds a reduced byte.
struct LinkParameters {
  double alpha = 0, beta = 0, gamma = 0;

  /// For a form that counts other bytes than travel and are reduced, `times` as many.
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

/// `messages` messages on the critical path, `bytes` bytes on its links, `reduced` bytes through its reductions.
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
