// The tool's version: the CMake project's, the one place where it is written.
#pragma once

namespace gradflight::cli {

inline constexpr const char* version = GRADFLIGHT_VERSION;

} // namespace gradflight::cli
