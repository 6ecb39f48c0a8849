#include "sim/group/plain_group.hpp"

#include "platforms/code/platform.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace gradflight {

namespace {

/// Returns the best chunk of a chain of p ranks (sqrt(n alpha / ((p - 2) beta)); Sanders, Speck and Traeff 2009). For
/// trees it differs only by a factor. Returns the whole vector if chunks gain nothing.
std::int64_t best_chunk(const FormLinks& links, std::int64_t elements, int p) {
  if (p <= 2 || links.link.alpha <= 0) return p <= 2 ? 0 : std::max<std::int64_t>(1, elements / 256);
  const double bytes = static_cast<double>(elements) * links.element_bytes;
  const double chunk = std::sqrt(bytes * links.link.alpha / ((p - 2) * links.link.beta)) / links.element_bytes;
  return std::clamp<std::int64_t>(std::llround(chunk), std::max<std::int64_t>(1, elements / 4096), elements);
}

void keep_slowest(LinkParameters& of, const Platform::Cost& cost) {
  of.alpha = std::max(of.alpha, cost.alpha);
  of.beta = std::max(of.beta, 1 / cost.bandwidth);
}

} // namespace

FormLinks links_between(const Platform& platform, std::span<const std::int32_t> places, double element_size) {
  FormLinks links;
  links.element_bytes = element_size;
  bool within = false, across = false;
  // Nodes are alike except for overrides, so the first ranks and each rank's neighbours are enough to look at.
  constexpr std::size_t looked_at_in_full = 64;
  const std::size_t p = places.size();
  const auto look = [&](std::size_t a, std::size_t b) {
    if (a == b) return;
    const bool same = platform.place(places[a]).node == platform.place(places[b]).node;
    (same ? within : across) = true;
    keep_slowest(same ? links.inside : links.link, platform.cost(places[a], places[b]));
  };
  for (std::size_t a = 0; a < std::min(p, looked_at_in_full); ++a)
    for (std::size_t b = 0; b < p; ++b) look(a, b);
  for (std::size_t a = looked_at_in_full; a < p; ++a) look(a, (a + 1) % p);
  if (!across) links.link = links.inside;
  if (!within) links.inside = links.link;
  double slowest = 0;
  for (const std::int32_t where : places)
    if (const double rate = platform.place(where).reduce_bandwidth; rate > 0 && (slowest == 0 || rate < slowest))
      slowest = rate;
  links.link.gamma = links.inside.gamma = slowest > 0 ? 1 / slowest : 0;
  return links;
}

std::optional<int> reducing_switch(const Platform& platform, std::span<const std::int32_t> places) {
  const Place& first = platform.place(places.front());
  const auto in_first_node = [&](std::int32_t place) { return platform.place(place).node == first.node; };
  if (std::ranges::all_of(places, in_first_node)) return platform.nvswitch_place(first.node);
  std::vector<bool> taken(static_cast<std::size_t>(platform.nodes()), false);
  for (const std::int32_t place : places) {
    const Place& at = platform.place(place);
    // The first GPU of each node is on the first rail, which has this switch.
    if (at.gpu != 0 || taken[static_cast<std::size_t>(at.node)]) return std::nullopt;
    taken[static_cast<std::size_t>(at.node)] = true;
  }
  return platform.network_switch_place();
}

std::string cannot(const Collective& algorithm, Operation op, const Platform& platform,
                   std::span<const std::int32_t> places) {
  if (!algorithm.group.serves(op)) return unsupported_operation(algorithm, op);
  if (algorithm.group.needs_switch && !reducing_switch(platform, places))
    return fmt::format("{} needs a switch that reduces between all ranks: NVLS in one node, SHARP among nodes with one "
                       "rank each",
                       algorithm.name);
  return {};
}

GroupSpec plain_spec(const Collective& algorithm, Operation op, std::int64_t elements, int ranks, int group_size,
                     const FormLinks& links) {
  GroupSpec spec;
  spec.op = op;
  spec.ranks = ranks;
  spec.elements = elements;
  if (algorithm.group.groups) spec.group_size = group_size;
  if (algorithm.group.chunks) spec.chunk = best_chunk(links, elements, ranks);
  return spec;
}

} // namespace gradflight
