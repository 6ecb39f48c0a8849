// Paths without exceptions. The functions of std::filesystem throw if a path cannot be examined: below a directory
// without permission, in a cycle of links, with a name that is too long, or in a deleted working directory. These
// functions then return what is known. Opening the file reports the reason.
#pragma once

#include <filesystem>
#include <system_error>
#include <vector>

namespace gradflight {

/// Returns the path from the root directory; the path itself if the working directory does not exist.
std::filesystem::path absolute_path(const std::filesystem::path& path);

/// Returns the absolute path without links, "." and ".."; the file itself need not exist. If the path cannot be
/// examined, its links remain.
std::filesystem::path real_path(const std::filesystem::path& path);

/// Returns the paths of all entries of a directory, in any order. After an error, returns those that were read.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& directory, std::error_code& error);

} // namespace gradflight
