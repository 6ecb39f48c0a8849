// Random failures of a platform's components and their durations, in order of time. Each component draws from its own
// sequence, so its failures depend neither on the number of other components nor on the reaction to failures.
#pragma once

#include "models/random/draws.hpp"
#include "platforms/code/changes.hpp"
#include "platforms/code/components.hpp"

#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace gradflight {

struct Outage {
  double at = 0, until = 0;    ///< seconds; until: infinity if it is never repaired
  std::uint32_t component = 0; ///< index in the list of components
};

class Outages {
public:
  /// `components` must outlive this. All components are new at time 0. `repeat`: added to the seed.
  Outages(const FailureSpec& failures, const std::vector<Component>& components, int repeat);

  /// Calls `taken` for each outage that is taken.
  void watch(std::function<void(const Outage&)> taken) { taken_ = std::move(taken); }
  /// Returns when the next outage begins; infinity: none will.
  [[nodiscard]] double next() const;
  /// Takes the next outage; the component is as new after its repair.
  Outage take();
  /// Takes the next outage; at the time `at` a new component replaces the broken one, and new ones replace the others
  /// of its node, if it is a node's. `until` is the repair of the broken one.
  Outage take_replaced(double at);
  /// At the time `at` another node with new components replaces a node. What fails before then still does.
  void replace_node(int node, double at);
  /// The next outage as take() would return it.
  [[nodiscard]] const Outage& peek() const { return pending_.front(); }

private:
  struct Pending : Outage {
    std::uint32_t drawn = 0; ///< its number among the component's draws; only the last one is valid
  };
  struct Later {
    bool operator()(const Outage& a, const Outage& b) const {
      return a.at != b.at ? a.at > b.at : a.component > b.component;
    }
  };
  void draw(std::uint32_t component, double from);
  void pop();
  void drop_replaced();
  Outage take_and_renew(std::optional<double> replaced);

  const FailureSpec& failures_;
  const std::vector<Component>& components_;
  std::int64_t seed_;
  std::function<void(const Outage&)> taken_{};
  std::vector<Weibull> shapes_;      ///< for each kind
  std::vector<std::uint32_t> drawn_; ///< for each component: number of draws
  std::vector<double> fails_;        ///< for each component: when it fails next
  std::vector<Pending> pending_;     ///< a heap, the earliest valid one first; one for each component that may fail
  std::vector<std::vector<std::uint32_t>> aging_; ///< of each node, components that fail at another rate once they age
};

/// Returns outages up to `horizon` as changes of links and places, in order of time. A link or place that several
/// outages hold down comes up when the last of them ends. `entry` of all changes is -1.
std::vector<PlatformChange> changes_of_outages(Outages& outages, const std::vector<Component>& components,
                                               const Platform& platform, double horizon);

} // namespace gradflight
