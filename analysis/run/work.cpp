#include "analysis/run/work.hpp"

#include "analysis/run/failure_text.hpp"

#include <chrono>
#include <fmt/format.h>
#include <new>

namespace gradflight {

std::string WorkEnd::message() const {
  switch (kind) {
  case Kind::finished: return {};
  case Kind::failed: return failure_line(text, blocked, blocked_count);
  case Kind::threw: return "a bug, please report: " + text;
  case Kind::no_memory: return "not enough memory for this scenario";
  case Kind::needs_process: return NeedsOwnProcess().what();
  case Kind::killed: return fmt::format("the simulation was killed by {}", text);
  case Kind::out_of_time: return "not done in time";
  case Kind::vanished: return fmt::format("the simulation's process ended without a result ({})", text);
  }
  return {};
}

WorkEnd end_of(std::string_view bytes) {
  auto end = from_bytes<WorkEnd>(bytes);
  if (end.kind > WorkEnd::Kind::vanished) throw MalformedBytes();
  return end;
}

WorkEnd done(const Work& work, std::size_t index, Process process) {
  using Kind = WorkEnd::Kind;
  const auto start = std::chrono::steady_clock::now();
  WorkEnd end;
  try {
    end.found = work(index, process);
    end.kind = Kind::finished;
  } catch (const SimulationFailure& failure) {
    end.kind = Kind::failed;
    end.text = failure.what();
    end.blocked = failure.blocked;
    end.blocked_count = failure.blocked_count;
  } catch (const NeedsOwnProcess&) {
    end.kind = Kind::needs_process;
  } catch (const std::bad_alloc&) {
    end.kind = Kind::no_memory;
  } catch (const std::exception& error) {
    end.kind = Kind::threw;
    end.text = error.what();
  } catch (...) {
    end.kind = Kind::threw;
    end.text = "an exception of an unknown kind";
  }
  end.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return end;
}

} // namespace gradflight
