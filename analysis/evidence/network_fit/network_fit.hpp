// Latency and rate of a network (or of the links inside a node) from measured tables, by simulation; every other table
// is predicted with them (docs/calibration.md).
//
// Least squares over log(simulated / measured), each size alike, by Gauss-Newton steps (stepwise_fit.hpp) from the best
// of a grid of starts. Numbers that the rows do not determine, or only to more than a factor of ten, are left as the
// platform has them. A bandwidth test keeps
// many messages on their way, so it tells no latency; what a host takes between two messages is fitted beside its rate
// (the gap of LogGP, Alexandrov et al., SPAA 1995) and stays out of the platform.
#pragma once

#include "analysis/evidence/network_fit/network_parameters.hpp"
#include "analysis/evidence/network_fit/timed_simulation.hpp"

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace gradflight {

/// The rows determine nothing.
class NothingDetermined : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct NetworkNumber {
  NetworkParameter parameter;
  bool determined = false;
  std::string text{};                  ///< as assigned, where determined
  double value = 0;                    ///< what that is read as; the start where it is not determined
  std::optional<double> uncertainty{}; ///< 1 sigma; none: too few rows
  bool at_bound = false;
  /// 95 %: Student's t over a time or over the time of a byte, plus what rounding of the rows may shift; none:
  /// likewise. An end that the rows leave open is that of the parameter's range. It holds whatever the numbers are that
  /// the rows determine less; a number that is not determined has one where that is the reason.
  std::optional<std::pair<double, double>> interval{};
  std::string why{}; ///< where it is not determined, beside what is said of all
};

struct ComparedTable {
  const TimedTable* table = nullptr;
  bool fitted = false;
  std::vector<SimulatedRow> rows{}; ///< one for each of the table's
  [[nodiscard]] double error(std::size_t row) const { return rows[row].seconds / table->rows[row].seconds - 1; }
};

/// Of |relative errors|.
struct TimedErrors {
  std::size_t rows = 0;
  double median = 0, percentile_90 = 0;
};

struct NetworkFit {
  bool between_nodes = true;
  std::string caution{}; ///< why the rate is less certain than its interval; empty: nothing is known against it
  std::vector<NetworkNumber> numbers{};
  std::vector<std::string> assignments{}; ///< PATH=VALUE of what is determined
  std::vector<ComparedTable> tables{};    ///< in the order given
  int evaluations = 0;                    ///< of all tables that are fitted to
  bool converged = false;

  [[nodiscard]] TimedErrors summary(bool fitted) const;
  /// What a host takes between two messages of a bandwidth test, in seconds; 0: not fitted.
  [[nodiscard]] double gap() const;
};

/// Which tables are fitted to, by index: of one operation and group of ranks (point to point: all of its tables).
/// `fit_to`: an operation's name or "p2p"; empty: the first there is of p2p, sendrecv, all_reduce, any other, on at
/// most two nodes where there is one. Of it those on two nodes, else on one, else on the fewest; of them those with the
/// most ranks. `fittable`: how many of the tables may be fitted to; those behind them are predicted only. Throws
/// InputErrors.
std::vector<std::size_t> tables_to_fit(const std::vector<SimulableTable>& tables, std::size_t fittable,
                                       const std::string& fit_to);

/// `tables` must outlive the result. Throws InputErrors (one size alone),
/// NothingDetermined, SimulationFailure.
NetworkFit fit_network(const std::vector<SimulableTable>& tables, const std::vector<std::size_t>& fitted,
                       const TimedSetting& setting, int jobs);

} // namespace gradflight
