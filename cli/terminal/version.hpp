// The tool's version, as in CMakeLists.txt (tests/cli compares the two).
#pragma once

namespace gradflight::cli {

inline constexpr const char* version = "0.1.0";

} // namespace gradflight::cli
