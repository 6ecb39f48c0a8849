// The smallest of many shares of which few change: a tournament tree. A change costs the logarithm of their number.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace gradflight {

class LeastShare {
public:
  static constexpr double none = std::numeric_limits<double>::infinity();

  /// Starts with `count` shares of `none`. set() calls must follow for all others.
  void start(std::size_t count) {
    leaves_ = std::bit_ceil(count);
    shares_.assign(leaves_, none);
    winners_.resize(leaves_);
    for (std::size_t k = leaves_ / 2; k > 0 && k < leaves_; ++k)
      winners_[k] = static_cast<std::uint32_t>(2 * k - leaves_);
    for (std::size_t k = leaves_ / 2; k-- > 1;) winners_[k] = winners_[2 * k];
  }
  void set(std::size_t position, double share) {
    shares_[position] = share < none ? share : none; // also if it is not a number
    for (std::size_t k = (leaves_ + position) / 2; k > 0; k /= 2) {
      const std::uint32_t left = winner(2 * k), right = winner(2 * k + 1);
      const std::uint32_t best = shares_[right] < shares_[left] ? right : left;
      if (best == winners_[k] && best != position) return; // nothing above depends on this share
      winners_[k] = best;
    }
  }
  /// Returns the position of the smallest share; of equal ones the first.
  [[nodiscard]] std::size_t position() const { return leaves_ > 1 ? winners_[1] : 0; }
  [[nodiscard]] double share() const { return shares_[position()]; }

private:
  [[nodiscard]] std::uint32_t winner(std::size_t k) const {
    return k < leaves_ ? winners_[k] : static_cast<std::uint32_t>(k - leaves_);
  }

  std::size_t leaves_ = 0;             ///< a power of two
  std::vector<double> shares_;         ///< of the leaves
  std::vector<std::uint32_t> winners_; ///< of inner node k, with children 2k and 2k + 1: position of its smallest share
};

} // namespace gradflight
