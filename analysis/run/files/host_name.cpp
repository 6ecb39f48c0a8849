#include "analysis/run/files/host_name.hpp"

#include <algorithm>
#include <array>
#include <unistd.h>

namespace gradflight {

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "host";
  std::string host = name.data();
  std::ranges::replace_if(
      host, [](char c) { return c == '/' || c == '.'; }, '-');
  return host;
}

} // namespace gradflight
