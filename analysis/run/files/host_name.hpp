// This machine's name, as part of a file's: directories are shared between machines, process numbers are not.
#pragma once

#include <string>

namespace gradflight {

/// Without dots and slashes.
std::string host_name();

} // namespace gradflight
