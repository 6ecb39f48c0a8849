// What a run on SimGrid and the loadable module with SimGrid know of each other. Debian's SimGrid brings ns-3, whose
// libraries take longer to load than most commands need, so the program loads them only for a run on SimGrid.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gradflight {

/// The platform's links and places; neither if SimGrid is only the clock.
struct SimgridPlatform {
  struct Link {
    double bandwidth = 0; ///< bytes per second; if it changes, above all its values
    bool changes = false;
  };
  int places = 0;
  std::vector<Link> links;
};

/// SimGrid's transfers, by numbers that can be used again after a transfer's end.
class SimgridTransfers {
public:
  /// Begins a transfer between two places; `bytes` may have a fraction.
  virtual void begin(std::size_t number, double bytes, int from, int to) = 0;
  /// Returns the bytes that are not carried yet.
  [[nodiscard]] virtual double remaining(std::size_t number) const = 0;
  /// Ends a transfer; it is not reported as completed.
  virtual void cut(std::size_t number) = 0;
  /// Shares a link again, because its bandwidth has changed.
  virtual void share_again(std::int32_t link) = 0;

protected:
  ~SimgridTransfers() = default;
};

/// The run for which SimGrid keeps the clock.
class SimgridRun {
public:
  /// SimGrid is ready. `transfers` exist until the end of run_on_simgrid().
  virtual void start(SimgridTransfers& transfers) = 0;
  /// Returns the time from now until the run's next event, in s; negative: there is none.
  virtual double time_to_next(double now) = 0;
  /// The clock has reached a time. Events at this time occur.
  virtual void reached(double now) = 0;
  /// A transfer has ended.
  virtual void completed(std::size_t number, double now) = 0;
  /// Returns a link's present bandwidth, in bytes per second.
  [[nodiscard]] virtual double bandwidth(std::int32_t link) const = 0;
  /// Returns the links between two places, valid until the next call.
  virtual std::span<const std::int32_t> route(int from, int to) = 0;

protected:
  ~SimgridRun() = default;
};

/// Loads the module for processes that this one forks later, so that each of them need not. Ignores that it is missing.
void preload_simgrid() noexcept;
/// Runs until no events are left. Only once per process, because SimGrid's engine is global. Throws SimulationFailure
/// if the module is missing.
void run_on_simgrid(SimgridRun& run, const SimgridPlatform& platform);

} // namespace gradflight
