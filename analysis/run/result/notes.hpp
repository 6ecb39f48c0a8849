// Notes for the reader of a result: assumptions, and probable mistakes.
#pragma once

#include <string>
#include <vector>

namespace gradflight {

struct RunResult;
struct Scenario;

struct Note {
  bool warning = false; ///< false: an assumption
  std::string text;
};

/// Returns "Assumed: ..." or "Warning: ...", with a full stop.
std::string sentence(const Note& note);

/// Returns the assumptions first, then the warnings.
std::vector<Note> find_notes(const Scenario& scenario, const RunResult& result);

} // namespace gradflight
