// What a run's end has waited for, back to its start: a chain of work and messages, found in its timeline.
//
// From the record that ends last, each step goes to what its begin has waited for: on the same rank to what ended then;
// of a message to its sender, or, where it waited for its receiver, to what that did before. Where several ended at one
// moment any of them is a critical path; work is preferred to messages, and the first recorded to the others.
#pragma once

#include "sim/result/timeline.hpp"

#include <cstdint>
#include <vector>

namespace gradflight {

struct CriticalStep {
  enum class Kind : std::uint8_t {
    work,    ///< `record` is an interval
    message, ///< a transfer, from `begin` when both sides were there
    wait     ///< nothing that was recorded: a time of a protocol, say
  };
  Kind kind = Kind::wait;
  std::size_t record = 0;
  int rank = 0; ///< whose work, or who received
  double begin = 0, end = 0;
};

/// From the start to the end, without gaps or overlaps: each begins where the one before ends. Empty for an empty
/// timeline.
std::vector<CriticalStep> critical_path(const Timeline& timeline);

} // namespace gradflight
