// The role of a link in its platform, as a value: set when the platform is built, so that no code parses names.
#pragma once

#include <cstdint>

namespace gradflight {

/// The part of the platform that a link belongs to.
enum class LinkTier : std::uint8_t {
  nic,      ///< the cable of a node's NIC
  server,   ///< the cable of an extra node's NIC: a server's or an aggregator's
  network,  ///< between switches, or directly between nodes
  gpu_link, ///< from GPU to GPU, or to the node's switch for these links: NVLink, xGMI
  pcie,     ///< from a GPU or a PCIe switch towards the host
  host,     ///< between sockets, or to a socket's memory
  codec     ///< a stage of a compressing NIC
};
inline constexpr int link_tiers = 7;

/// The kind of link within its topology or node.
enum class LinkType : std::uint8_t {
  cable,        ///< of a terminal
  uplink,       ///< of a rack, of a rail or of a fat tree's switch (LinkRole::level)
  torus,        ///< from router to router (LinkRole::level: the dimension)
  local,        ///< within a dragonfly's group
  global,       ///< between a dragonfly's groups
  edge,         ///< an edge listed by a graph
  gpu_pair,     ///< from GPU to GPU
  gpu_port,     ///< from a GPU to its node's NVSwitch
  gpu_pcie,     ///< from a GPU towards the host
  switch_pcie,  ///< from a PCIe switch towards the host
  sockets,      ///< from socket to socket
  memory,       ///< of a socket
  nic_total,    ///< the sum of both directions of a NIC
  compressor,   ///< of a NIC
  decompressor, ///< of a NIC
};

enum class LinkWay : std::uint8_t {
  up,   ///< away from the node
  down, ///< towards the node
  one   ///< neither: between equals, or both directions together
};

/// Unused fields are -1.
struct LinkRole {
  LinkTier tier = LinkTier::network;
  LinkType type = LinkType::edge;
  LinkWay way = LinkWay::one;
  std::int8_t level = -1;  ///< of a fat tree, from 1 up; of a torus: the dimension
  std::int16_t nic = -1;   ///< number within the node, if nodes have their own NICs
  std::int32_t owner = -1; ///< the node; for a rack's uplink the rack; for a graph's edge its start vertex
  std::int32_t to = -1;    ///< for a graph's edge: its end vertex

  friend bool operator==(const LinkRole&, const LinkRole&) = default;
};

/// Whether two links are of equal kind, apart from their numbers and directions.
constexpr bool same_kind(const LinkRole& a, const LinkRole& b) {
  return a.tier == b.tier && a.type == b.type && a.level == b.level;
}

} // namespace gradflight
