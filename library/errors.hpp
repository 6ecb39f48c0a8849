// Turns the exceptions of the modules into those that the library documents.
#pragma once

#include "library/inside.hpp"
// After it: from here on the names are the public ones.
#include "gradflight/gradflight.hpp"

#include <mutex>

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

/// Held while children simulate: a crew belongs to who started it.
std::mutex& children();

} // namespace gradflight_inside

struct gradflight::v1::Scenario::Content {
  gradflight_inside::Prepared prepared;
  std::string name, json;
  gradflight_inside::ScenarioSource source; ///< what it was read from, with
  std::vector<std::string> sets;            ///< these, to which others are added
};
