#include "analysis/run/files/process.hpp"

#include <algorithm>
#include <array>
#include <unistd.h>

namespace gradflight {

std::filesystem::path program_path() {
  std::error_code error;
  auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::filesystem::path() : path;
}

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "host";
  std::string host = name.data();
  std::ranges::replace_if(
      host, [](char c) { return c == '/' || c == '.'; }, '-');
  return host;
}

} // namespace gradflight
