// The catalogue of machines: files of platforms/machines, by their base names.
#pragma once

#include "scenarios/language/json/node.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace gradflight {

class Sources;

/// Beside the program (a build folder in the source tree, or PREFIX/bin with PREFIX/share/gradflight), else where the
/// program was built from. Empty: nowhere.
std::filesystem::path machine_folder();

/// Sorted; none where there is no folder.
std::vector<std::string> machine_names();

/// Whether a text that stands for a platform is the path of a file: it ends in ".json" or contains "/".
bool names_file(const std::string& text);

/// Drops from an object all that was read from files of the catalogue, so that another machine can take its place.
void drop_machine(Node& object, const Sources& sources);

} // namespace gradflight
