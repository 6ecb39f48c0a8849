// The critical path of a run: a chain of work and messages in its timeline, from the end back to the start.
//
// It begins at the record that ends last. Each step goes to the record for which its begin waited: a record on the same
// rank that ended then. For a message, it goes to the sender, or to the receiver's earlier work if the message waited
// for the receiver. If several records ended at the same moment, each gives a critical path. Work is preferred to
// messages, and the first recorded one to others.
#pragma once

#include "sim/result/timeline.hpp"

#include <cstdint>
#include <vector>

namespace gradflight {

struct CriticalStep {
  enum class Kind : std::uint8_t {
    work,    ///< `record` is an interval
    message, ///< a transfer, from `begin`, when both sides were ready
    wait     ///< time without a record, such as a protocol's delay
  };
  Kind kind = Kind::wait;
  std::size_t record = 0;
  int rank = 0; ///< the rank of the work, or the receiver
  double begin = 0, end = 0;
};

/// Returns steps from the start to the end without gaps or overlaps: each begins where the previous one ends. Empty for
/// an empty timeline.
std::vector<CriticalStep> critical_path(const Timeline& timeline);

} // namespace gradflight
