// When the things of a platform fail, and for how long: drawn, in the order of time. Each thing draws from a sequence
// of its own, so what one does hangs neither on how many others there are nor on what is done about them.
#pragma once

#include "models/random/draws.hpp"
#include "platforms/code/changes.hpp"
#include "platforms/code/components.hpp"

#include <functional>
#include <limits>
#include <utility>
#include <vector>

namespace gradflight {

struct Outage {
  double at = 0, until = 0;    ///< seconds; until: infinity where it is never repaired
  std::uint32_t component = 0; ///< its place in the list of components
};

class Outages {
public:
  /// `components` must outlive this. All are new at time 0. `repeat`: added to the seed.
  Outages(const FailureSpec& failures, const std::vector<Component>& components, int repeat);

  /// Tells of each one that is taken.
  void watch(std::function<void(const Outage&)> taken) { taken_ = std::move(taken); }
  /// When the next one comes; infinity: none will.
  [[nodiscard]] double next() const;
  /// The next one; what failed is new again when it is repaired.
  Outage take();
  /// Likewise, but something new takes its place at once: only the broken one's repair takes until `until`.
  Outage take_replaced();
  /// The next one as take() would give it.
  [[nodiscard]] const Outage& peek() const { return pending_.front(); }

private:
  struct Later {
    bool operator()(const Outage& a, const Outage& b) const {
      return a.at != b.at ? a.at > b.at : a.component > b.component;
    }
  };
  void draw(std::uint32_t component, double from);
  Outage take_and_renew(bool replaced);

  const FailureSpec& failures_;
  const std::vector<Component>& components_;
  std::int64_t seed_;
  std::function<void(const Outage&)> taken_{};
  std::vector<Weibull> shapes_;      ///< of each kind
  std::vector<std::uint32_t> drawn_; ///< of each component: how often it has been
  std::vector<Outage> pending_;      ///< a heap, the earliest first; one of each component that may fail
};

/// Outages up to `horizon` as changes of links and places, in the order of time: what several outages hold down is up
/// again when the last of them ends. `entry` of all changes is -1.
std::vector<PlatformChange> changes_of_outages(Outages& outages, const std::vector<Component>& components,
                                               const Platform& platform, double horizon);

} // namespace gradflight
