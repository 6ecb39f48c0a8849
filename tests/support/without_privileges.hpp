// Permissions do not count for root: where a test is run as root, this takes its privileges away until its end.
#pragma once

#include <stdexcept>
#include <unistd.h>

namespace gradflight::test {

class WithoutPrivileges {
public:
  WithoutPrivileges() {
    if (root_ && seteuid(nobody) != 0) throw std::runtime_error("cannot become another user");
  }
  ~WithoutPrivileges() {
    if (root_ && seteuid(0) != 0) _exit(1);
  }
  WithoutPrivileges(const WithoutPrivileges&) = delete;
  WithoutPrivileges& operator=(const WithoutPrivileges&) = delete;

private:
  static constexpr uid_t nobody = 65534;
  bool root_ = geteuid() == 0;
};

} // namespace gradflight::test
