// A mini-batch's passes beside one stream of gathers and scatters, each waiting for the other (ZeRO-3, FSDP).
#pragma once

#include "models/forms/critical_path.hpp"

#include <cstddef>
#include <vector>

namespace gradflight {

/// One layer's forward or backward pass. It begins when the pass before it and the stream's first `needs` tasks have
/// ended.
struct GatheredPass {
  Moment compute;
  std::size_t needs = 0;
};
/// A gather or a scatter. It begins when the task before it and the first `after` passes have ended; of `no_pass` when
/// the task before it has.
inline constexpr std::size_t no_pass = static_cast<std::size_t>(-1);
struct StreamTask {
  std::size_t after = 0;
  Moment cost;
};
struct SideBySide {
  Moment passes, tasks; ///< ends
};

/// s_k = max(s_(k-1), e_(needs_k)) + c_k, e_j = max(e_(j-1), s_(after_j)) + x_j, from where both begin: exact for
/// equally fast ranks with one stream. Throws std::logic_error where a pass and a task wait for each other.
SideBySide side_by_side(const SideBySide& begin, const std::vector<GatheredPass>& passes,
                        const std::vector<StreamTask>& tasks);

} // namespace gradflight
