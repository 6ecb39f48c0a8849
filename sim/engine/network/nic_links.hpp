// The engines of compressing NICs as further links: four stages a node, behind the platform's own links.
//
// A message between nodes becomes what models/nic/stream_cost.hpp says of it: a delay (fill), a flow of wire bytes that
// takes each stage with a weight, a delay (tail). All messages of a node share its stages, whichever GPU they are of.
#pragma once

#include "sim/engine/network/message.hpp"
#include "sim/plan/weight.hpp"

namespace gradflight {

class NicLinks {
public:
  /// `used`: some message passes compressing NICs; else there are no stages.
  NicLinks(const PlatformSpec& spec, const Platform& platform, bool used);

  /// Names "node3.nic.compressor.in", ".compressor.out", ".decompressor.in" and ".decompressor.out"; bandwidth in bytes
  /// of bus time a second. In order of their indices.
  [[nodiscard]] const std::vector<DirectedLink>& stages() const { return stages_; }

  /// Appends what a message takes of the stages of two nodes, as its weight says.
  void lay(const Weight& weight, int from_node, int to_node, std::vector<LinkShare>& shares) const;

private:
  std::size_t first_;
  std::vector<DirectedLink> stages_;
};

} // namespace gradflight
