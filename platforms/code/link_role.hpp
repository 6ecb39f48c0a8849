// What a link is in its platform, as a value: set where the platform is built, so that no code has to read it from the
// link's name.
#pragma once

#include <cstdint>

namespace gradflight {

/// What a link belongs to.
enum class LinkTier : std::uint8_t {
  nic,      ///< the cable of a node's NIC
  server,   ///< the cable of an extra node's NIC: a server's or an aggregator's
  network,  ///< between switches, or between nodes where no switch lies between
  gpu_link, ///< from GPU to GPU, or to the node's own switch for that: NVLink, xGMI
  pcie,     ///< from a GPU or a PCIe switch towards the host
  host,     ///< between sockets, or a socket's memory
  codec     ///< a stage of a compressing NIC
};
inline constexpr int link_tiers = 7;

/// Which part of which topology or node a link is.
enum class LinkType : std::uint8_t {
  cable,        ///< a terminal's
  uplink,       ///< of a rack, of a rail or of a fat tree's switch (LinkRole::level)
  torus,        ///< from router to router (LinkRole::level: the dimension)
  local,        ///< within a dragonfly's group
  global,       ///< between a dragonfly's groups
  edge,         ///< one that a graph lists
  gpu_pair,     ///< from GPU to GPU
  gpu_port,     ///< from a GPU to its node's switch of GPU links
  gpu_pcie,     ///< from a GPU towards the host
  switch_pcie,  ///< from a PCIe switch towards the host
  sockets,      ///< from socket to socket
  memory,       ///< of a socket
  nic_total,    ///< what both directions of a NIC carry together
  compressor,   ///< of a NIC
  decompressor, ///< likewise
};

enum class LinkWay : std::uint8_t {
  up,   ///< away from the node
  down, ///< towards the node
  one   ///< neither: between equals, or both directions at once
};

/// Fields that a link has no use for are -1.
struct LinkRole {
  LinkTier tier = LinkTier::network;
  LinkType type = LinkType::edge;
  LinkWay way = LinkWay::one;
  std::int8_t level = -1;  ///< of a fat tree, from 1 up; a torus' dimension
  std::int16_t nic = -1;   ///< its number within the node, where nodes have NICs of their own
  std::int32_t owner = -1; ///< the node; of a rack's uplink the rack; of a graph's edge the vertex that it comes from
  std::int32_t to = -1;    ///< of a graph's edge: the vertex that it leads to

  friend bool operator==(const LinkRole&, const LinkRole&) = default;
};

/// Whether two links are built alike, but for their numbers and their ways.
constexpr bool same_kind(const LinkRole& a, const LinkRole& b) {
  return a.tier == b.tier && a.type == b.type && a.level == b.level;
}

} // namespace gradflight
