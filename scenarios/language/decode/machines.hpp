// The catalogue of scenarios' starting points: the files of its folders by their base names. Machines are in
// platforms/machines; models are in workloads/models and workloads/networks.
#pragma once

#include "scenarios/language/json/node.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace gradflight {

class Sources;

/// Returns the catalogue folder with this name, such as "platforms/machines". It lies beside the program: in the source
/// tree around a build folder, or in PREFIX/share/gradflight for PREFIX/bin. For a build folder elsewhere, it lies in
/// the source tree of the build. Empty if none exists.
std::filesystem::path catalogue_folder(const std::string& folder);

/// Returns the sorted names in all these folders; empty if the folders do not exist.
std::vector<std::string> catalogue_names(const std::vector<std::string>& folders);
/// Returns the file with that name; empty if none exists.
std::filesystem::path catalogue_file(const std::vector<std::string>& folders, const std::string& name);

/// Returns the element of `names` that `said` means: in any spelling, or by a common name such as "bert" or "H100".
/// Empty if none matches.
std::string catalogued_name(const std::string& said, const std::vector<std::string>& names);
/// Returns the element of `names` that a mistyped or longer name most likely means ("NVIDIA H100", "a3-highgpu-8g").
/// Empty if none is near.
std::string nearest_catalogued(const std::string& said, const std::vector<std::string>& names);

/// Returns the names of the machines.
std::vector<std::string> machine_names();

/// Whether the text for a platform or workload is the path of a file. A path contains "/", or has the extension of a
/// file (".json", ".xml", ".csv", ...), or is not in the catalogue while a file exists at `path`.
bool names_file(const std::string& text, const std::filesystem::path& path);
/// The same for a path relative to the working directory.
bool names_file(const std::string& text);

/// Removes from an object everything that was read from files of these folders, so that another entry can replace it.
void drop_catalogued(Node& object, const Sources& sources, const std::vector<std::string>& folders);

} // namespace gradflight
