// The program's version, as defined in the CMake project.
#pragma once

namespace gradflight::cli {

inline constexpr const char* version = GRADFLIGHT_VERSION;

} // namespace gradflight::cli
