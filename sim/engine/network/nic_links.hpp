// The engines of compressing NICs as further links: four stages per node, numbered after the platform's own links.
//
// A message between nodes becomes a delay (fill), a flow of wire bytes that takes each stage with a weight, and a delay
// (tail), see models/nic/stream_cost.hpp. All messages of a node share its stages, whichever GPU they belong to.
#pragma once

#include "sim/engine/network/message.hpp"
#include "sim/plan/weight.hpp"

namespace gradflight {

class NicLinks {
public:
  /// `used`: some message passes compressing NICs; if false, no stages exist.
  NicLinks(const PlatformSpec& spec, const Platform& platform, bool used);

  /// In the order of their indices, named "node3.nic.compressor.in", ".compressor.out", ".decompressor.in" and
  /// ".decompressor.out"; bandwidth in bytes of bus time per second.
  [[nodiscard]] const std::vector<DirectedLink>& stages() const { return stages_; }

  /// Appends the load of a message on the stages of two nodes, from its weight.
  void lay(const Weight& weight, int from_node, int to_node, std::vector<LinkShare>& shares) const;

private:
  std::size_t first_;
  std::vector<DirectedLink> stages_;
};

} // namespace gradflight
