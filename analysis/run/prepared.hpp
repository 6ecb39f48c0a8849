// A scenario with the platform that fits it: what can be simulated, and the only way there.
#pragma once

#include "platforms/code/platform.hpp"
#include "scenarios/language/decode/document.hpp"
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
  /// Where the id, scenario_id(), is known: it takes as long as small simulations do.
  Prepared(Scenario scenario, std::string id);

  [[nodiscard]] const Scenario& scenario() const { return scenario_; }
  [[nodiscard]] const Platform& platform() const { return platform_; }
  [[nodiscard]] const std::string& id() const { return id_; }
  /// The scenario with every default explicit, as JSON.
  [[nodiscard]] std::string canonical() const;

private:
  friend struct Preparation;
  Prepared(Scenario scenario, Platform platform, std::string id);
  Scenario scenario_;
  Platform platform_;
  std::string id_;
};

/// Decoding asks for complaints about the built platform while it still knows where everything was written; what was
/// built for that is kept.
struct Preparation {
  /// What is wrong with the shape of a decoded scenario's platform, pointers from the scenario's root; none: it is
  /// built.
  std::vector<PlatformError> build(const Scenario& scenario);
  /// The same, and what is wrong with the quantities that it expects or how much there is to simulate.
  std::vector<PlatformError> build_and_expect(const Scenario& scenario);
  /// The scenario that was built last, without complaints.
  Prepared finish(Scenario scenario, std::string id);

  bool simulates = true; ///< what is only looked at may be of any size
  std::optional<Platform> platform{};
};

} // namespace gradflight
