// Scenarios in `check`: loaded, simulated, compared with their closed forms.
#pragma once

#include "analysis/run/prepare.hpp"
#include "analysis/run/result/comparison.hpp"
#include "analysis/run/runner.hpp"

#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

namespace gradflight {

struct FormCheck {
  std::filesystem::path file;
  Prepared prepared;
  ClosedFormAnswer form;
  Answer<double> time{};   ///< simulated
  Comparison comparison{}; ///< if simulated

  /// "ok", "explained", "off", "no form"; "failed": not simulated.
  [[nodiscard]] const char* verdict() const;
  /// Why it is not "ok"; empty: nothing to report.
  [[nodiscard]] std::string remark() const;
};

/// Loads the scenario files of `paths`, or throws all errors of all files (InputErrors).
std::vector<FormCheck> load_checks(const std::vector<std::filesystem::path>& paths);

/// Simulates all, `jobs` at a time, and calls `report` for each in order.
void run_checks(std::vector<FormCheck>& checks, double tolerance, int jobs,
                const std::function<void(const FormCheck&)>& report);

/// Counts each verdict, with its name.
std::vector<std::pair<std::string, std::size_t>> tally(const std::vector<FormCheck>& checks);

/// The output of `check --json`.
nlohmann::ordered_json json_of(const std::vector<FormCheck>& checks, double tolerance);

} // namespace gradflight
