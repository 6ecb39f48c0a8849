// Groups of links with the same role in a run: those with the largest cost, and the busiest.
//
// Links are alike if they have the same construction, bandwidth, changes and bytes.
#pragma once

#include "platforms/code/link_role.hpp"

#include <string>
#include <vector>

namespace gradflight {

struct RunResult;

/// The cost of similar links on the critical path (LinkDelay).
struct Bottleneck {
  std::string link; ///< the link with the largest cost
  int alike = 0;    ///< number of further links
  double seconds = 0;
  std::string jobs{};    ///< other jobs with messages on the link with the largest cost: "b, c"; empty: none
  std::string traffic{}; ///< the entries of `traffic` that shared that link with the path's messages
  LinkTier tier = LinkTier::network;
};
/// Returns links with a cost, largest first. The reference engine provides no data for it.
std::vector<Bottleneck> find_bottlenecks(const RunResult& result);
/// Returns "rack0.up (and 3 alike) 46.5 ms".
std::string text_of(const Bottleneck& links);
/// Returns the first few: "rack0.up (and 3 alike) 46.5 ms, node0.up 2 ms and 3 others 1 us".
std::string text_of(const std::vector<Bottleneck>& bottlenecks);

/// Links with names of one kind (link_kind) and the same bandwidth.
struct LinkGroup {
  std::string names; ///< "node*.up"
  LinkTier tier{};
  double bandwidth = 0;             ///< bytes per second
  std::int64_t count = 0, used = 0; ///< number of all links, and of those with traffic
  double bytes = 0, most_bytes = 0; ///< of all links, and on the link with the most bytes
  double most_busy = 0;             ///< s, of the busiest link
  double most_utilisation = 0, mean_utilisation = 0;
};
/// Returns the groups in the order of their first links.
std::vector<LinkGroup> groups_of(const RunResult& result);

/// How JSON results list links.
enum class LinkListing : std::uint8_t {
  by_count, ///< each link, or groups if there are more than `links_listed`
  all,
  groups
};
inline constexpr std::size_t links_listed = 10'000;

/// Returns the `most` largest utilisations with their links: "16 NICs, 4 uplinks at 70.1 % (node0.up: 10 Gbps, ...)".
std::vector<std::string> busiest_links(const RunResult& result, std::size_t most);

} // namespace gradflight
