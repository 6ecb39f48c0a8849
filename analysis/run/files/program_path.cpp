#include "analysis/run/files/program_path.hpp"

namespace gradflight {

std::filesystem::path program_path() {
  std::error_code error;
  auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::filesystem::path() : path;
}

} // namespace gradflight
