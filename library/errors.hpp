// Shared code of all library calls. It converts the modules' exceptions to the documented ones, and runs simulations in
// child processes, so that they can be ended.
#pragma once

#include "library/inside.hpp"
// Include after inside.hpp: from here on, the names are the public ones.
#include "gradflight/gradflight.hpp"

#include <mutex>
#include <type_traits>
#include <utility>

namespace gradflight_inside {

/// Throws InputError for a mistake of the caller that is in no file.
[[noreturn]] void refuse(const std::string& message);
[[noreturn]] void raise(const InputErrors& errors);

/// Returns the result of `make`. Converts its exceptions to the public ones.
template <class Make> auto translated(const Make& make) {
  try {
    return make();
  } catch (const InputErrors& errors) {
    raise(errors);
  } catch (const UsageError& error) {
    refuse(error.what());
  } catch (const SimulationFailure& failure) {
    throw gradflight::v1::SimulationError(failure_text(failure));
  } catch (const OutputError& error) {
    throw gradflight::v1::OutputError(error.what());
  }
}

/// Converts settings to "PATH=VALUE", the form of --set. Throws InputError if a path is not valid.
std::vector<std::string> sets_of(const gradflight::v1::Settings& settings);

/// Converts the progress of a batch to a part from 0 to 1; returns an empty function if `progress` is empty.
gradflight::BatchProgress part_of(const gradflight::v1::Progress& progress);

/// Lock for the use of child processes: only one call at a time may have them. While a call waits, its `progress`
/// receives 0.
class Children {
public:
  explicit Children(const gradflight::v1::Progress& progress);

private:
  std::unique_lock<std::timed_mutex> held_;
};

/// Returns the result of `work(Process)`, which runs in a child process. If `progress` throws, the child is killed and
/// the exception propagates. Throws SimulationFailure if the child ends without a result.
template <class Work> auto in_child(const gradflight::v1::Progress& progress, const Work& work) {
  std::invoke_result_t<const Work&, gradflight::Process> result;
  gradflight::run_cases(
      1, {.jobs = 1, .progress = part_of(progress)},
      [&](std::size_t, gradflight::Process process) { return work(process); },
      [&](std::size_t, auto answer) {
        if (answer.finished()) {
          result = std::move(answer.value);
          return;
        }
        const bool has_text = answer.end.kind == gradflight::WorkEnd::Kind::failed;
        SimulationFailure failure(has_text ? answer.end.text : answer.end.message(), std::move(answer.end.blocked));
        failure.blocked_count = answer.end.blocked_count;
        throw failure;
      });
  return result;
}

} // namespace gradflight_inside

struct gradflight::v1::Scenario::Content {
  gradflight_inside::Prepared prepared;
  std::string name, json;
  gradflight_inside::ScenarioSource source; ///< the source of the scenario
  std::vector<std::string> sets;            ///< its settings; calls may add more
};
