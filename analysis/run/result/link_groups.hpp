// Links that play one part in a run, told together: those that cost the most, and the busiest.
//
// Links are alike if they are built alike, have one bandwidth and carried the same bytes.
#pragma once

#include "sim/result/result.hpp"

#include <string>
#include <vector>

namespace gradflight {

/// What alike links have cost the critical path (LinkDelay).
struct DearLinks {
  std::string link; ///< the dearest of them
  int alike = 0;    ///< how many more there are
  double seconds = 0;
  std::string jobs{};    ///< whose messages are on the dearest one beside the run's own: "b, c"; empty: nobody's
  std::string traffic{}; ///< the entries of `traffic` whose flows have taken it, likewise
};
/// Dearest first; none that cost nothing. Nothing of the reference engine's.
std::vector<DearLinks> dearest_links(const RunResult& result);
/// "rack0.up (and 3 alike) 46.5 ms".
std::string text_of(const DearLinks& links);
/// The first few, "rack0.up (and 3 alike) 46.5 ms, node0.up 2 ms and 3 others 1 us".
std::string text_of(const std::vector<DearLinks>& dearest);

/// The `most` largest utilisations, each with who has it: "16 NICs, 4 uplinks at 70.1 % (node0.up: 10 Gbps, ...)".
std::vector<std::string> busiest_links(const RunResult& result, std::size_t most);

} // namespace gradflight
