// Scenarios on their way through `check`: loaded, simulated, held against their closed forms.
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
  Comparison comparison{}; ///< where simulated

  /// "ok", "explained", "off", "no form"; "failed": not simulated.
  [[nodiscard]] const char* verdict() const;
  /// Why it is none of the first; empty: nothing to say.
  [[nodiscard]] std::string remark() const;
};

/// The scenario files of `paths`, or every error of every one (InputErrors).
std::vector<FormCheck> load_checks(const std::vector<std::filesystem::path>& paths);

/// Simulates all, `jobs` at a time, and calls `report` for each in their order.
void run_checks(std::vector<FormCheck>& checks, double tolerance, int jobs,
                const std::function<void(const FormCheck&)>& report);

/// How many have which verdict, each verdict named.
std::vector<std::pair<std::string, std::size_t>> tally(const std::vector<FormCheck>& checks);

/// What `check --json` prints.
nlohmann::ordered_json json_of(const std::vector<FormCheck>& checks, double tolerance);

} // namespace gradflight
