// What every call of the library does around its work: it turns the exceptions of the modules into those that the
// library documents, and has child processes for simulations that can be ended.
#pragma once

#include "library/inside.hpp"
// After it: from here on the names are the public ones.
#include "gradflight/gradflight.hpp"

#include <mutex>
#include <type_traits>
#include <utility>

namespace gradflight_inside {

/// Mistakes of the caller that are in no file.
[[noreturn]] void refuse(const std::string& message);
[[noreturn]] void raise(const InputErrors& errors);

/// What `make` gives; what it throws as one of the public errors.
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

/// "PATH=VALUE", as --set takes it. Throws InputError where a path cannot be one.
std::vector<std::string> sets_of(const gradflight::v1::Settings& settings);

/// Tells a batch's progress as a part; none where nobody asks.
gradflight::BatchProgress part_of(const gradflight::v1::Progress& progress);

/// Held while children simulate: a crew belongs to who started it. Meanwhile `progress` of who waits for it is told 0.
class Children {
public:
  explicit Children(const gradflight::v1::Progress& progress);

private:
  std::unique_lock<std::timed_mutex> held_;
};

/// Returns what `work(Process)` makes in a child process. What `progress` throws kills the child and passes on. Throws
/// SimulationFailure where the child ends without a result.
template <class Work> auto in_child(const gradflight::v1::Progress& progress, const Work& work) {
  std::invoke_result_t<const Work&, gradflight::Process> made;
  gradflight::run_cases(
      1, {.jobs = 1, .progress = part_of(progress)},
      [&](std::size_t, gradflight::Process process) { return work(process); },
      [&](std::size_t, auto answer) {
        if (answer.finished()) {
          made = std::move(answer.value);
          return;
        }
        const bool told = answer.end.kind == gradflight::WorkEnd::Kind::failed;
        SimulationFailure failure(told ? answer.end.text : answer.end.message(), std::move(answer.end.blocked));
        failure.blocked_count = answer.end.blocked_count;
        throw failure;
      });
  return made;
}

} // namespace gradflight_inside

struct gradflight::v1::Scenario::Content {
  gradflight_inside::Prepared prepared;
  std::string name, json;
  gradflight_inside::ScenarioSource source; ///< what it was read from, with
  std::vector<std::string> sets;            ///< these, to which others are added
};
