#include "platforms/code/describe.hpp"

#include "models/units/unit_text.hpp"
#include "platforms/code/platform.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <unordered_map>

namespace gradflight {
namespace {

template <class Q> std::string range(double least, double most) {
  const std::string low = format(Q(least));
  return least == most ? low : fmt::format("{} to {}", low, format(Q(most)));
}

} // namespace

/// Returns the name with each run of digits replaced by "*".
std::string link_kind(const std::string& name) {
  std::string pattern;
  for (const char c : name) {
    if (!std::isdigit(static_cast<unsigned char>(c)))
      pattern += c;
    else if (pattern.empty() || pattern.back() != '*')
      pattern += '*';
  }
  return pattern;
}

std::string cable_name(const std::string& link) {
  if (const auto arrow = link.find("->"); arrow != std::string::npos) {
    const auto number = std::min(link.find('#', arrow), link.size());
    const std::string from = link.substr(0, arrow), to = link.substr(arrow + 2, number - arrow - 2);
    return std::min(from, to) + "-" + std::max(from, to) + link.substr(number);
  }
  const auto dot = link.rfind('.');
  if (dot == std::string::npos) return link;
  const auto number = std::min(link.find_first_of("0123456789", dot), link.size());
  const std::string direction = link.substr(dot + 1, number - dot - 1), port = link.substr(number);
  if (direction != "up" && direction != "down" && direction != "both") return link;
  return link.substr(0, dot) + (port.empty() ? "" : "." + port);
}

const char* link_tier_name(LinkTier tier) {
  constexpr std::array<const char*, link_tiers> names = {"nic",  "server", "network", "gpu_link",
                                                         "pcie", "host",   "codec"};
  return names[static_cast<std::size_t>(tier)];
}

std::vector<std::string> link_tier_names() {
  std::vector<std::string> names;
  for (int tier = 0; tier < link_tiers; ++tier) names.emplace_back(link_tier_name(static_cast<LinkTier>(tier)));
  return names;
}

std::vector<LinkKind> link_kinds(const Platform& platform) {
  std::vector<LinkKind> kinds;
  std::unordered_map<std::string, std::size_t> numbers;
  for (const auto& link : platform.links()) {
    const auto [found, fresh] = numbers.emplace(link_kind(link.name), kinds.size());
    if (fresh)
      kinds.push_back({found->first, link.role, 0, link.bandwidth, link.bandwidth, link.latency, link.latency});
    LinkKind& kind = kinds[found->second];
    ++kind.count;
    kind.least_bandwidth = std::min(kind.least_bandwidth, link.bandwidth);
    kind.most_bandwidth = std::max(kind.most_bandwidth, link.bandwidth);
    kind.least_latency = std::min(kind.least_latency, link.latency);
    kind.most_latency = std::max(kind.most_latency, link.latency);
  }
  return kinds;
}

std::string describe(const Platform& platform) {
  const int gpus = platform.gpu_places(), extra = static_cast<int>(platform.places().size()) - gpus;
  const int nodes = platform.place(gpus - 1).node + 1;
  std::string text = fmt::format("{} GPU{} on {} node{}", gpus, gpus == 1 ? "" : "s", nodes, nodes == 1 ? "" : "s");
  if (extra > 0) text += fmt::format(", {} server{}", extra, extra == 1 ? "" : "s");
  text += '\n';
  for (const auto& kind : link_kinds(platform))
    text += fmt::format("  {:>8} {:<24} {}, {}\n", kind.count, kind.name,
                        range<ByteRate>(kind.least_bandwidth, kind.most_bandwidth),
                        range<Seconds>(kind.least_latency, kind.most_latency));
  return text;
}

} // namespace gradflight
