#include "analysis/run/forked_work.hpp"

#include "analysis/run/address_sanitizer.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <sys/resource.h>
#include <sys/socket.h>
#include <utility>

namespace gradflight {
namespace {

void limit_memory([[maybe_unused]] const WorkLimits& limits) {
#ifndef GF_ADDRESS_SANITIZER // the sanitizer's shadow memory would exceed any limit
  if (!limits.memory_bytes) return;
  const rlimit limit{*limits.memory_bytes, *limits.memory_bytes};
  setrlimit(RLIMIT_DATA, &limit);
#endif
}

} // namespace

ForkedWork::ForkedWork(const Work& work, std::size_t index, const WorkLimits& limits)
    : ForkedWork(work, index, limits, connection()) {}

ForkedWork::ForkedWork(const Work& work, std::size_t index, const WorkLimits& limits,
                       std::pair<Descriptor, Descriptor> ends)
    : index_(index), answer_(std::move(ends.first)), start_(Clock::now()), wall_limit_(limits.wall_s), child_([&] {
        answer_.reset();
        limit_memory(limits);
        send_all(ends.second.get(), to_bytes(done(work, index, Process::own)));
      }) {}

bool ForkedWork::read_some() {
  std::array<char, 65536> buffer{};
  const ssize_t n = recv(answer_.get(), buffer.data(), buffer.size(), 0);
  if (n < 0) return errno != EINTR;
  received_.append(buffer.data(), static_cast<std::size_t>(n));
  closed_ = n == 0;
  return closed_;
}

std::optional<double> ForkedWork::time_left() const {
  if (!wall_limit_) return std::nullopt;
  return std::max(0.0, *wall_limit_ - std::chrono::duration<double>(Clock::now() - start_).count());
}

WorkEnd ForkedWork::finish() {
  if (!closed_) child_.kill();
  const auto process = child_.wait();
  WorkEnd end;
  end.wall_s = std::chrono::duration<double>(Clock::now() - start_).count();
  end.text = process.text;
  if (process.by_signal)
    end.kind = closed_ ? WorkEnd::Kind::killed : WorkEnd::Kind::out_of_time;
  else if (!received_.empty())
    end = end_of(received_);
  end.max_rss_bytes = process.max_rss_bytes;
  return end;
}

} // namespace gradflight
