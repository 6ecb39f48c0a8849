// Collects names of the headers below in a separate namespace, because some of the types share names with public types.
// Include this file first.
#pragma once

#include "analysis/explore/steps/steps.hpp"
#include "analysis/run/failure_text.hpp"
#include "analysis/run/files/output_file.hpp"
#include "analysis/run/prepare.hpp"
#include "analysis/run/runner.hpp"
#include "base/usage_error.hpp"
#include "scenarios/language/json/diagnostics.hpp"
#include "sim/engine/streams/failure.hpp"

namespace gradflight_inside {
using gradflight::Diagnostic;
using gradflight::failure_text;
using gradflight::InputErrors;
using gradflight::OutputError;
using gradflight::Prepared;
using gradflight::Scenario;
using gradflight::ScenarioSource;
using gradflight::SimulationFailure;
using gradflight::UsageError;
} // namespace gradflight_inside
