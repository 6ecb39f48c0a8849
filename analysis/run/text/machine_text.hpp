// Machines in words: what is in one, drawn; the catalogue of machines and models.
#pragma once

#include "platforms/code/spec/spec.hpp"

#include <string>

namespace gradflight {

/// Where GPUs and NICs are plugged in, how GPUs reach each other, and every kind of link with rate, latency and source.
/// `spec` can be built; one without `node` has its links only.
std::string machine_text(const PlatformSpec& spec);

/// "8 A100 by NVSwitch, 8 NICs of 200 Gbps on rails": in one line.
std::string node_line(const NodeSpec& node);

/// The catalogue's names, a line each.
std::string machine_list();

/// Models and machines that have to do with a word: where a scenario names them, and what they are. Empty: none.
std::string catalogue_search(const std::string& word);

/// What catalogue_search() names, "workload.model=NAME" or "platform.machine=NAME": its key and what it is. Empty: the
/// text is neither. Throws InputErrors where the catalogue has no such name.
std::string catalogue_entry(const std::string& assignment);

/// Names of all models and machines of the catalogue.
std::vector<std::string> catalogued_names();

} // namespace gradflight
