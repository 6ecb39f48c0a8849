// The engines of compressing NICs as further links: four stages a node, behind the platform's own links.
//
// A message between nodes becomes what models/nic/stream_cost.hpp says of it: a delay (fill), a flow of wire bytes that
// takes each stage with a weight, a delay (tail). All messages of a node share its stages, whichever GPU they are of.
#pragma once

#include "scenarios/language/types/scenario.hpp"
#include "sim/engine/message.hpp"
#include "sim/plan/weight.hpp"

namespace gradflight {

class NicLinks {
public:
  /// `first`: index of the first stage, the number of the platform's links. Without a codec in a NIC in any phase there
  /// are no stages.
  NicLinks(const Scenario& scenario, const Platform& platform, std::size_t first);

  /// Names "node3.nic.compressor.in", ".compressor.out", ".decompressor.in" and ".decompressor.out"; bandwidth in bytes
  /// of bus time a second. In order of their indices.
  [[nodiscard]] const std::vector<DirectedLink>& stages() const { return stages_; }

  /// Lays a message on the stages between two nodes that its weight names: their shares.
  void lay(Message& m, const Weight& weight, int from_node, int to_node) const;

private:
  std::size_t first_;
  std::vector<DirectedLink> stages_;
};

} // namespace gradflight
