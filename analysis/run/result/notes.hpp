// What a reader of a result should know before trusting it: what was assumed, and what is likely a mistake.
#pragma once

#include <string>
#include <vector>

namespace gradflight {

struct Scenario;

struct Note {
  bool warning = false; ///< else an assumption
  std::string text;
};

/// "Assumed: ..." or "Warning: ...", with its full stop.
std::string sentence(const Note& note);

/// Assumptions first.
std::vector<Note> find_notes(const Scenario& scenario);

} // namespace gradflight
