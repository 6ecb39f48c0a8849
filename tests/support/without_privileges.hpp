// Removes root privileges during a test, because permissions have no effect for root.
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
