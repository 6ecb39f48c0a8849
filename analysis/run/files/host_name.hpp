// This machine's name as a part of file names: machines may share directories, but not process numbers.
#pragma once

#include <string>

namespace gradflight {

/// Returns the name without dots and slashes.
std::string host_name();

} // namespace gradflight
