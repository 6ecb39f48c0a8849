// Several of the best changes of a scenario at once.
#pragma once

#include "analysis/explore/advice/advice.hpp"
#include "analysis/explore/advice/what_ifs.hpp"
#include "analysis/run/prepare.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gradflight {

/// Prepares the scenario after a change; throws InputErrors or UnbuildablePlatform if the change is refused.
using PrepareChanged = std::function<Prepared(const WhatIf& change)>;

/// Combinations of at most three changes of different topics.
class Combinations {
public:
  /// `best_checkpoint`: as in what_ifs().
  Combinations(PrepareChanged prepare, std::optional<std::int64_t> best_checkpoint)
      : prepare_(std::move(prepare)), best_checkpoint_(best_checkpoint) {}

  /// Combines the best changes that were tried: with and without hardware, with and without gradients of 16 bits.
  [[nodiscard]] std::vector<WhatIf> best(const Advice& advice);
  /// About as many as best() returns at most: of three changes each the pairs and all.
  static constexpr std::int64_t most = 16;

private:
  [[nodiscard]] std::vector<const WhatIf*> best_of_topics(const Advice& advice, bool hardware, Fidelity worst);
  void add(const std::vector<const WhatIf*>& parts, std::vector<WhatIf>& all);
  [[nodiscard]] const WhatIf& combined(const std::vector<const WhatIf*>& parts);
  [[nodiscard]] bool is_accepted(const WhatIf& change) const;
  [[nodiscard]] const std::vector<WhatIf>& after(const WhatIf& change);

  PrepareChanged prepare_;
  std::optional<std::int64_t> best_checkpoint_;
  std::map<std::string, WhatIf> known_;              ///< by the text of their changes
  std::map<std::string, std::vector<WhatIf>> after_; ///< what-ifs after a change
};

/// Combines changes; without settings if two contradict each other.
WhatIf together(const std::vector<const WhatIf*>& parts);

/// Removes combinations that gain hardly more than a part of them alone.
void drop_useless_combinations(Advice& advice);

} // namespace gradflight
