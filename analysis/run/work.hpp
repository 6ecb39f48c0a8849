// A piece of work, identified by its number, and its result.
#pragma once

#include "analysis/run/evaluate.hpp"
#include "analysis/run/result_bytes.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace gradflight {

/// Creates and does the work with number `index`; returns the bytes of its result.
using Work = std::function<std::string(std::size_t index, Process process)>;

struct WorkEnd {
  enum class Kind : std::uint8_t {
    finished,
    failed,        ///< a SimulationFailure: `text` is its what()
    threw,         ///< another exception, which is a bug: `text` is its what()
    no_memory,     ///< the limit of memory, or the machine's memory
    needs_process, ///< NeedsOwnProcess
    // Only another process can detect the following ends.
    killed,      ///< by a signal: `text` names it
    out_of_time, ///< beyond the limit of wall-clock time
    vanished     ///< its process ended without a result: `text` has the status
  };
  Kind kind = Kind::vanished;
  std::string text{};
  std::string found{}; ///< result of finished work
  std::vector<Blocked> blocked{};
  std::int64_t blocked_count = 0; ///< as in the failure
  double wall_s = 0;
  std::int64_t max_rss_bytes = 0; ///< peak memory of its process; other work may have shared the process

  /// Returns one line with the reason for a missing result.
  [[nodiscard]] std::string message() const;
};

template <class Visitor, Same<WorkEnd> End> void visit(Visitor& fields, End& e) {
  auto& [kind, text, found, blocked, blocked_count, wall_s, max_rss_bytes] = e;
  fields(kind, text, found, blocked, blocked_count, wall_s, max_rss_bytes);
}

/// Throws MalformedBytes if the bytes are not valid.
WorkEnd end_of(std::string_view bytes);

/// Does the work in this thread; converts exceptions to results. `max_rss_bytes` stays 0.
WorkEnd done(const Work& work, std::size_t index, Process process);

} // namespace gradflight
