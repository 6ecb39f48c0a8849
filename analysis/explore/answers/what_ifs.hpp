// Changes of a scenario worth trying: resources that cost nothing, faster parts, other settings. Each is what --set
// says.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gradflight {

struct Scenario;

enum class WhatIfKind {
  unlimited, ///< 10^6 times faster, latency 0: what a resource costs at most
  hardware,  ///< something that can be bought
  setting,   ///< something that can be configured
  together   ///< several of the best
};
const char* what_if_kind_name(WhatIfKind kind);

/// What a change does to the gradients.
enum class Fidelity {
  exact, ///< nothing
  half,  ///< they are rounded to 16 bits on the wire
  lossy  ///< training sees others
};

struct WhatIf {
  WhatIfKind kind = WhatIfKind::setting;
  std::string change; ///< for people
  std::string topic;  ///< changes of one topic exclude each other
  std::vector<std::pair<std::string, nlohmann::ordered_json>> set;
  Fidelity fidelity = Fidelity::exact;

  /// "PATH=VALUE", as --set takes it.
  [[nodiscard]] std::vector<std::string> sets() const;
  /// Whether `other` sets all that this one sets, to the same values.
  [[nodiscard]] bool is_part_of(const WhatIf& other) const;
};

/// `canonical`: the scenario with every default explicit (Prepared::canonical), whose paths the changes name. Some may
/// be refused when they are read: what goes with what is the language's business.
/// `best_checkpoint`: iterations between checkpoints that the scenario's own run found best, if it tried some.
std::vector<WhatIf> what_ifs(const Scenario& scenario, const std::string& canonical,
                             std::optional<std::int64_t> best_checkpoint = {});

/// One change made of several of different topics; `set` empty where they contradict each other.
WhatIf together(const std::vector<const WhatIf*>& parts);

} // namespace gradflight
