// A piece of work, by its number, and what became of it.
#pragma once

#include "analysis/run/evaluate.hpp"
#include "analysis/run/result_bytes.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace gradflight {

/// Makes and does number `index`; the bytes of what it found.
using Work = std::function<std::string(std::size_t index, Process process)>;

struct WorkEnd {
  enum class Kind : std::uint8_t {
    finished,
    failed,        ///< a SimulationFailure: `text` is its what()
    threw,         ///< another exception, that is a bug: likewise
    no_memory,     ///< the limit, or the machine's
    needs_process, ///< NeedsOwnProcess
    // What only others can tell:
    killed,      ///< by a signal: `text` names it
    out_of_time, ///< the limit on its wall-clock time
    vanished     ///< its process ended without an answer: `text` has the status
  };
  Kind kind = Kind::vanished;
  std::string text{};
  std::string found{}; ///< what the work returned, where finished
  std::vector<Blocked> blocked{};
  std::int64_t blocked_count = 0; ///< of a failure, as there
  double wall_s = 0;
  std::int64_t max_rss_bytes = 0; ///< peak of its process, which others may have shared

  /// Why there is nothing, in one line.
  [[nodiscard]] std::string message() const;
};

template <class Visitor, Same<WorkEnd> End> void visit(Visitor& fields, End& e) {
  fields(e.kind, e.text, e.found, e.blocked, e.blocked_count, e.wall_s, e.max_rss_bytes);
}

/// Throws MalformedBytes.
WorkEnd end_of(std::string_view bytes);

/// Does it, here and now; whatever it throws is told. `max_rss_bytes` stays 0.
WorkEnd done(const Work& work, std::size_t index, Process process);

} // namespace gradflight
