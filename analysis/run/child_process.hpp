// A forked child: what fails, hangs or eats memory in it takes nothing else along.
//
// Forked, not spawned as another program (Boost.Process): the work is a function over values in memory, which another
// program would need in a form of their own, and a host program that uses this library is no gradflight that one could
// start with a hidden command. A child has only the thread that forked: fork while no other thread of the process holds
// a lock. The command line's process never has a second thread (see crew.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <sys/types.h>

namespace gradflight {

struct ProcessEnd {
  bool by_signal = false;
  std::string text; ///< "signal 9 (Killed)", "status 5"
  std::int64_t max_rss_bytes = 0;
};

class ChildProcess {
public:
  /// `body` runs in the child, which then ends; nothing of the parent's is closed or flushed by that. Throws
  /// std::runtime_error where there is no process to be had. A killed parent takes the child along.
  explicit ChildProcess(const std::function<void()>& body);
  ~ChildProcess(); ///< kills what still runs
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;

  void kill() const;
  /// Waits for its end; call once.
  ProcessEnd wait();

private:
  pid_t pid_ = -1;
};

/// An open file, closed with its owner.
class Descriptor {
public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor() { reset(); }
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;

  [[nodiscard]] int get() const { return fd_; }
  void reset();

private:
  int fd_;
};

/// Two ends of one connection between processes; throws std::runtime_error.
std::pair<Descriptor, Descriptor> connection();
/// False: the other side is gone.
bool send_all(int fd, std::string_view bytes);
/// Fills `into` as far as bytes come; false: they ended before it was full.
bool receive_all(int fd, char* into, std::size_t size);

} // namespace gradflight
