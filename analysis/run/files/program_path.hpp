// The path of the running program. Data files are found relative to it, and scripts need its full path.
#pragma once

#include <filesystem>

namespace gradflight {

/// Returns an empty path if the system does not provide it.
std::filesystem::path program_path();

} // namespace gradflight
