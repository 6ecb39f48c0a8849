// Changes of a scenario worth trying: free resources, faster parts, other settings. Each can be written with --set.
#pragma once

#include "platforms/code/link_role.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gradflight {

struct Scenario;

enum class WhatIfKind {
  unlimited, ///< 10^6 times faster, latency 0: upper bound on the cost of a resource
  hardware,  ///< something that can be bought
  setting,   ///< something that can be configured
  together   ///< several of the best together
};
const char* what_if_kind_name(WhatIfKind kind);

/// The effect of a change on the gradients.
enum class Fidelity {
  exact, ///< none
  half,  ///< gradients are rounded to 16 bits on the wire
  lossy  ///< training uses other gradients
};

/// The topic of changes that make something slow like the others of its kind.
inline constexpr std::string_view repair_topic = "repair";

struct WhatIf {
  WhatIfKind kind = WhatIfKind::setting;
  std::string change; ///< for display
  std::string topic;  ///< changes of one topic exclude each other
  std::vector<std::pair<std::string, nlohmann::ordered_json>> set;
  Fidelity fidelity = Fidelity::exact;
  std::vector<std::string> parts{}; ///< of a combination: the texts of its changes
  std::vector<LinkTier> tiers{};    ///< of the links that it makes faster, if it changes nothing else

  /// "PATH=VALUE", as --set takes it.
  [[nodiscard]] std::vector<std::string> sets() const;
  /// Whether `other` combines this one with others, makes faster what this one does and more, or sets everything that
  /// this one sets to the same values.
  [[nodiscard]] bool is_part_of(const WhatIf& other) const;
};

/// `canonical`: the scenario with every default explicit (Prepared::canonical); the changes name its paths. The
/// scenario reader may refuse some of them. `best_checkpoint`: the best iterations between checkpoints in the
/// scenario's own run, if it tried some.
std::vector<WhatIf> what_ifs(const Scenario& scenario, const std::string& canonical,
                             std::optional<std::int64_t> best_checkpoint = {});

} // namespace gradflight
