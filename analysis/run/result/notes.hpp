// What a reader of a result should know before trusting it: what was assumed, and what is likely a mistake.
#pragma once

#include "scenarios/language/types/scenario.hpp"

#include <string>
#include <vector>

namespace gradflight {

struct Note {
  bool warning = false; ///< else an assumption
  std::string text;
};

/// Assumptions first.
std::vector<Note> notes(const Scenario& scenario);

} // namespace gradflight
