// The passes of a mini-batch beside one stream of gathers and scatters that depend on each other (ZeRO-3, FSDP).
#pragma once

#include "models/forms/critical_path.hpp"

#include <cstddef>
#include <vector>

namespace gradflight {

/// The forward or backward pass of one layer. It begins when the pass before it and the first `needs` tasks of the
/// stream have ended.
struct GatheredPass {
  Moment compute;
  std::size_t needs = 0;
};
/// A gather or a scatter. It begins when the task before it and the first `after` passes have ended. With `no_pass` it
/// waits only for the task before it.
inline constexpr std::size_t no_pass = static_cast<std::size_t>(-1);
struct StreamTask {
  std::size_t after = 0;
  Moment cost;
};
struct SideBySide {
  Moment passes, tasks; ///< ends
};

/// s_k = max(s_(k-1), e_(needs_k)) + c_k, e_j = max(e_(j-1), s_(after_j)) + x_j, starting from `begin`. Exact for
/// equally fast ranks with one stream. Throws std::logic_error if a pass and a task wait for each other.
SideBySide side_by_side(const SideBySide& begin, const std::vector<GatheredPass>& passes,
                        const std::vector<StreamTask>& tasks);

} // namespace gradflight
