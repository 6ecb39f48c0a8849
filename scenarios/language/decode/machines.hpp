// The catalogue that scenarios start from by name: files of its folders, by their base names. Machines are those of
// platforms/machines, models those of workloads/models and workloads/networks.
#pragma once

#include "scenarios/language/json/node.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace gradflight {

class Sources;

/// The folder that is called so, such as "platforms/machines": beside the program (a build folder in the source tree,
/// or PREFIX/bin with PREFIX/share/gradflight); of a build folder elsewhere, where it was built from. Empty: nowhere.
std::filesystem::path catalogue_folder(const std::string& folder);

/// Of all these folders, sorted; none where there are no folders.
std::vector<std::string> catalogue_names(const std::vector<std::string>& folders);
/// The file of that name; empty: none.
std::filesystem::path catalogue_file(const std::vector<std::string>& folders, const std::string& name);

/// The one of `names` that is meant: in any spelling, or by a name that people use for it, such as "bert" or "H100".
/// Empty: none.
std::string catalogued_name(const std::string& said, const std::vector<std::string>& names);

/// Of the machines.
std::vector<std::string> machine_names();

/// Whether a text that stands for a platform or workload is the path of a file: it contains "/", ends as files do
/// (".json", ".xml", ".csv", ...), or is no name of the catalogue and there is a file at `path`.
bool names_file(const std::string& text, const std::filesystem::path& path);
/// The same, seen from the working directory.
bool names_file(const std::string& text);

/// Drops from an object all that was read from files of these folders, so that another one can take their place.
void drop_catalogued(Node& object, const Sources& sources, const std::vector<std::string>& folders);

} // namespace gradflight
