// A scenario with its platform, ready for simulation. Simulations accept only this type.
#pragma once

#include "platforms/code/platform.hpp"
#include "scenarios/language/decode/load.hpp"
#include "scenarios/language/types/scenario.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gradflight {

class Prepared {
public:
  /// Builds the platform, with a place for each server and aggregator that the scenario needs beside its nodes. Throws
  /// UnbuildablePlatform.
  explicit Prepared(Scenario scenario);
  /// For a known id, scenario_id(), because computing it takes as long as a small simulation.
  Prepared(Scenario scenario, std::string id);

  [[nodiscard]] const Scenario& scenario() const { return scenario_; }
  [[nodiscard]] const Platform& platform() const { return platform_; }
  [[nodiscard]] const std::string& id() const { return id_; }
  /// Returns the scenario with every default explicit, as JSON.
  [[nodiscard]] std::string canonical() const;

private:
  friend struct Preparation;
  Prepared(Scenario scenario, Platform platform, std::string id);
  Scenario scenario_;
  Platform platform_;
  std::string id_;
};

/// Builds the platform during decoding, while the positions of all values are known, so that mistakes can name them.
/// Keeps the built platform.
struct Preparation {
  /// Builds the platform. Returns mistakes in its shape, with pointers from the scenario's root; none if it is built.
  /// With less than Known::all, finds what it can, and nothing can be finished.
  std::vector<PlatformError> build(const Scenario& scenario, Known known = Known::all);
  /// The same, with mistakes in the expected quantities and in the amount of work to simulate.
  std::vector<PlatformError> build_and_expect(const Scenario& scenario, Known known = Known::all);
  /// Returns the scenario that was built last without mistakes.
  Prepared finish(Scenario scenario, std::string id);

  bool simulates = true; ///< false: the scenario is only inspected, so its size has no limit
  std::optional<Platform> platform{};

private:
  void build_cluster(const Scenario& scenario, std::vector<PlatformError>& errors);
};

} // namespace gradflight
