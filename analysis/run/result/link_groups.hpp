// Links that play one part in a run, told together: those that cost the most, and the busiest.
//
// Links are alike if they are built alike, have one bandwidth, changed alike and carried the same bytes.
#pragma once

#include "platforms/code/link_role.hpp"

#include <string>
#include <vector>

namespace gradflight {

struct RunResult;

/// What alike links have cost the critical path (LinkDelay).
struct Bottleneck {
  std::string link; ///< the one that cost most
  int alike = 0;    ///< how many more there are
  double seconds = 0;
  std::string jobs{};    ///< whose messages are on the one that cost most beside the run's own: "b, c"; empty: nobody's
  std::string traffic{}; ///< the entries of `traffic` whose flows have taken it, likewise
  LinkTier tier = LinkTier::network;
};
/// Largest first; none that cost nothing. Nothing of the reference engine's.
std::vector<Bottleneck> find_bottlenecks(const RunResult& result);
/// "rack0.up (and 3 alike) 46.5 ms".
std::string text_of(const Bottleneck& links);
/// The first few, "rack0.up (and 3 alike) 46.5 ms, node0.up 2 ms and 3 others 1 us".
std::string text_of(const std::vector<Bottleneck>& bottlenecks);

/// Links with names of one kind (link_kind) and one bandwidth.
struct LinkGroup {
  std::string names; ///< "node*.up"
  LinkTier tier{};
  double bandwidth = 0;             ///< bytes per second
  std::int64_t count = 0, used = 0; ///< all, and those that carried something
  double bytes = 0, most_bytes = 0; ///< of all, and of the one that carried most
  double most_busy = 0;             ///< s
  double most_utilisation = 0, mean_utilisation = 0;
};
/// In the order of their first links.
std::vector<LinkGroup> groups_of(const RunResult& result);

/// How a result as JSON lists links.
enum class LinkListing : std::uint8_t {
  by_count, ///< each, or groups where there are more than `links_listed`
  all,
  groups
};
inline constexpr std::size_t links_listed = 10'000;

/// The `most` largest utilisations, each with who has it: "16 NICs, 4 uplinks at 70.1 % (node0.up: 10 Gbps, ...)".
std::vector<std::string> busiest_links(const RunResult& result, std::size_t most);

} // namespace gradflight
