// Derives both ends of each link from its name and the specification alone: an independent check of routes.
#pragma once

#include "platforms/code/platform.hpp"

#include <map>
#include <string>
#include <utility>

namespace gradflight::test {

class PortModel {
public:
  explicit PortModel(const PlatformSpec& spec);
  /// Returns the names of the two ports that a link connects, in its direction.
  [[nodiscard]] std::pair<std::string, std::string> ends(const std::string& link) const;
  /// Returns the start or end of a message to another node, or within the node.
  [[nodiscard]] std::string port(const Place& place, bool leaves_node) const;

private:
  [[nodiscard]] std::pair<std::string, std::string> upward(const std::string& child, int port) const;
  [[nodiscard]] std::string above_node(int node) const;
  const PlatformSpec& spec_;
  std::map<std::string, std::pair<std::string, std::string>> globals_; ///< dragonfly: global link -> routers
};

} // namespace gradflight::test
