#include "models/rccl/disjoint_rings.hpp"

#include <algorithm>
#include <utility>

namespace gradflight::nccl {

namespace {

/// Searches depth first, ring by ring; ring k goes from GPU 0 to GPU k first.
class RingSearch {
public:
  explicit RingSearch(int gpus) : gpus_(gpus), taken_(static_cast<std::size_t>(gpus) * static_cast<std::size_t>(gpus)) {
    if (!next_ring()) rings_.clear();
  }
  [[nodiscard]] std::vector<std::vector<int>> rings() && { return std::move(rings_); }

private:
  static constexpr int budget = 1 << 16; ///< steps; eight GPUs take 125

  bool next_ring() {
    const int number = static_cast<int>(rings_.size()) + 1;
    if (number == gpus_) return true;
    rings_.push_back({0});
    if (go(number)) return true;
    rings_.pop_back();
    return false;
  }

  /// Goes on to a GPU, and from there all the way.
  bool go(int to) {
    std::vector<int>& ring = rings_.back();
    char& way =
        taken_[static_cast<std::size_t>(ring.back()) * static_cast<std::size_t>(gpus_) + static_cast<std::size_t>(to)];
    if (way != 0 || steps_++ >= budget) return false;
    way = 1;
    if (to == 0) {
      if (next_ring()) return true;
    } else {
      ring.push_back(to);
      if (on_from_here()) return true;
      rings_.back().pop_back();
    }
    way = 0;
    return false;
  }

  bool on_from_here() {
    const std::vector<int> ring = rings_.back();
    if (static_cast<int>(ring.size()) == gpus_) return go(0);
    for (int gpu = 1; gpu < gpus_; ++gpu)
      if (std::ranges::find(ring, gpu) == ring.end() && go(gpu)) return true;
    return false;
  }

  int gpus_, steps_ = 0;
  std::vector<char> taken_; ///< from GPU a to b at a * gpus + b
  std::vector<std::vector<int>> rings_;
};

} // namespace

std::vector<std::vector<int>> disjoint_rings(int gpus) { return RingSearch(gpus).rings(); }

} // namespace gradflight::nccl
