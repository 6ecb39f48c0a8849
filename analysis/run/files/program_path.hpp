// Where the running program lies: data are found relative to it, and scripts call it by its full name.
#pragma once

#include <filesystem>

namespace gradflight {

/// Empty where the system does not tell.
std::filesystem::path program_path();

} // namespace gradflight
