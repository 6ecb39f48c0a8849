// What the running program knows of itself: the path of its file, and the machine that it runs on.
#pragma once

#include <filesystem>
#include <string>

namespace gradflight {

/// Data files are found relative to this path, and scripts need it. Empty if the system does not provide it.
std::filesystem::path program_path();

/// This machine's name without dots and slashes, as a part of file names: machines may share directories, but not
/// process numbers.
std::string host_name();

} // namespace gradflight
