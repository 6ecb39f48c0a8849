// The rooms below under a name of their own: some of their types are called as the public ones are. Included first.
#pragma once

#include "analysis/answers/named_change.hpp"
#include "analysis/answers/steps.hpp"
#include "analysis/files/output_file.hpp"
#include "analysis/runs/failure_text.hpp"
#include "analysis/runs/prepare.hpp"
#include "scenarios/language/json/diagnostics.hpp"
#include "sim/engine/failure.hpp"

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
