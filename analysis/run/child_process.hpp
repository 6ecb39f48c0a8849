// A forked child process: a failure, a hang or excessive memory use in it does not affect the parent.
//
// The child is forked instead of started as another program (Boost.Process), because its work is a function over values
// in memory. Another program would need these values in a serialized form. A host program that uses this library is
// also not a gradflight program with a hidden command. A child has only the thread that forked, so fork only while no
// other thread holds a lock. The process of the command line never has a second thread (see worker_process.hpp).
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
  /// `body` runs in the child, which then ends without closing or flushing files of the parent. Throws
  /// SimulationFailure if the system creates no process. If the parent is killed, the child is killed, too.
  explicit ChildProcess(const std::function<void()>& body);
  ~ChildProcess(); ///< kills a child that still runs
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;

  void kill() const;
  /// Waits for the end of the child; call it once.
  ProcessEnd wait();

private:
  pid_t pid_ = -1;
};

/// An open file descriptor; closed with its owner.
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

/// Returns the two ends of a connection between processes; throws SimulationFailure.
std::pair<Descriptor, Descriptor> connection();
/// Returns false if the other side is closed.
bool send_all(int fd, std::string_view bytes);
/// Fills `into` with received bytes; returns false if they end before it is full.
bool receive_all(int fd, char* into, std::size_t size);

} // namespace gradflight
