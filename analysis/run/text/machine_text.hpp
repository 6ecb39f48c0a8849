// Machines as text: a drawing of a node, and the catalogue of machines and models.
#pragma once

#include "platforms/code/spec/spec.hpp"

#include <string>

namespace gradflight {

/// Returns the positions of GPUs and NICs, the connections between GPUs, and every kind of link with rate, latency and
/// source. `spec` must be valid. A platform without `node` has only links.
std::string machine_text(const PlatformSpec& spec);

/// Returns one line: "8 A100 by NVSwitch, 8 NICs of 200 Gbps on rails".
std::string node_line(const NodeSpec& node);

/// Returns the entries of the catalogue with their descriptions, one per line, for the path of a key that names one of
/// them or of its object: "platform", "workload.model". Empty for other paths.
std::string catalogue_list(const std::string& path);

/// Returns models and machines that match a word: how a scenario names them, and a description. Empty if none matches.
std::string catalogue_search(const std::string& word);

/// Describes an entry of catalogue_search(), "workload.model=NAME" or "platform.machine=NAME": its key, and its
/// content. Returns an empty text for other assignments. Throws InputErrors if the catalogue has no entry NAME.
std::string catalogue_entry(const std::string& assignment);

/// Returns the names of all models and machines of the catalogue.
std::vector<std::string> catalogued_names();

} // namespace gradflight
