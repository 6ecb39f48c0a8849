#include "models/nccl/release_tables.hpp"

#include <charconv>

namespace gradflight::nccl {

namespace {

/// Indices in the tables.
namespace of {
constexpr std::size_t tree = 0, ring = 1, nvls = 4, nvls_tree = 5;
constexpr std::size_t ll = 0, simple = 2;
constexpr std::size_t nvlink = 0, pcie = 1, network = 2;
constexpr std::size_t ampere = 1, hopper = 2;
} // namespace of

void set_simple_trees(ReleaseTables& t, double over_nvlink, double over_pcie, double over_network) {
  t.hop_latency[of::nvlink][of::tree][of::simple] = over_nvlink;
  t.hop_latency[of::pcie][of::tree][of::simple] = over_pcie;
  t.hop_latency[of::network][of::tree][of::simple] = over_network;
}

/// Undoes the changes of 2.18.
void before_2_18(ReleaseTables& t) {
  t.base_latency[of::tree] = {4.4, 4.4, 0};
  t.base_latency[of::ring] = {3.6, 10, 8.4};
  t.hop_latency[of::nvlink][of::tree][of::ll] = 0.52;
  t.hop_latency[of::nvlink][of::ring][of::ll] = 0.47;
  t.hop_latency[of::network][of::ring][of::simple] = 9.6;
  t.most_tree[of::hopper] = t.most_tree[of::ampere];
  t.most_tree_ll128[of::hopper] = t.most_ring_ll128[of::hopper];
  t.most_ampere = 235;
  t.ll_inside = 1.8;
  t.posts = t.adds_nic_latency = t.tree_shares_nics = false;
  t.plateau = 17;
  t.ll128_bridge = false;
}

void before_2_10(ReleaseTables& t) {
  t.most_tree[of::ampere] = t.most_tree[of::hopper] = {24, 22.5, 16};
  t.tree_share[1] = {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .5, .6, .6, .7, .7, .8, .9, .9, .92, .92, 1};
}

/// Facts: src/enqueue.cc and src/collectives/device/common.h. The times are fitted to calls within a node of ABCI
/// (docs/nccl.md).
ChannelRules channel_rules_of(int release) {
  ChannelRules rules;
  if (release < 29) rules.least_traffic = 16 * 1024;
  if (release < 26) rules.ll_spreads = false;
  if (release < 23) rules.least_traffic = 512;
  if (release < 22) {
    rules.least_traffic = 0;
    rules.second_block = rules.next_block = 1.1;
  }
  if (release < 13) rules.second_block = 3.7;
  return rules;
}

} // namespace

std::optional<int> release_named(std::string_view name) {
  if (!name.starts_with("2.")) return std::nullopt;
  int minor = 0;
  const char* const end = name.data() + name.size();
  auto [rest, error] = std::from_chars(name.data() + 2, end, minor);
  if (error != std::errc() || minor < oldest_release || minor > newest_release) return std::nullopt;
  if (rest == end) return minor;
  int patch = 0;
  if (*rest != '.') return std::nullopt;
  const auto [last, wrong] = std::from_chars(rest + 1, end, patch);
  if (wrong != std::errc() || last != end || patch < 0) return std::nullopt;
  return minor;
}

ReleaseTables tables_of(int release) {
  ReleaseTables t;
  t.channel_rules = channel_rules_of(release);
  if (release < 30) t.hop_latency[of::network][of::nvls_tree][of::simple] = 14;
  if (release < 27) t.nvls_links = t.ll128_c2c = false;
  if (release < 23) {
    t.base_latency[of::tree][of::simple] = 0;
    set_simple_trees(t, 28, 28, 28);
    t.ll128_alone_less = true;
    t.alone_as_tree = t.pat = false;
    t.more_between = release >= 12 ? 2 : 0;
  }
  if (release < 21) {
    t.most_ll[of::hopper] = t.most_ll[of::ampere];
    t.ll_rings_by_steps = true;
    t.hop_latency[of::nvlink][of::nvls][of::simple] = t.hop_latency[of::nvlink][of::nvls_tree][of::simple] = 23;
  }
  if (release < 19) {
    t.gathers_by_switch = false;
    set_simple_trees(t, 4, 6, 14);
  }
  if (release < 18) {
    before_2_18(t);
    set_simple_trees(t, 28, 28, 28);
  }
  if (release < 17) {
    t.most_ring_ll128[of::hopper] = t.most_tree_ll128[of::hopper] = t.most_tree_ll128[of::ampere];
    t.nvls = t.ll128_pxn = false;
    t.plateau = 8;
  }
  if (release < 14) t.ll128_hopper = false;
  if (release < 12) t.pxn = false;
  if (release < 10) before_2_10(t);
  return t;
}

} // namespace gradflight::nccl
