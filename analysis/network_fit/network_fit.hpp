// Latency and rate of a network (or of the links inside a node) from measured tables, by simulation; every other table
// is predicted with them (docs/calibration.md).
//
// Least squares over log(simulated / measured), each size alike, by Gauss-Newton steps (stepwise_fit.hpp) from the best
// of a grid of starts. Numbers that the rows do not determine are left as the platform has them.
#pragma once

#include "analysis/network_fit/network_parameters.hpp"
#include "analysis/network_fit/timed_simulation.hpp"

#include <optional>
#include <stdexcept>
#include <string>
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
  std::vector<NetworkNumber> numbers{};
  std::vector<std::string> assignments{}; ///< PATH=VALUE of what is determined
  std::vector<ComparedTable> tables{};    ///< in the order given
  int evaluations = 0;                    ///< of all tables that are fitted to
  bool converged = false;

  [[nodiscard]] TimedErrors summary(bool fitted) const;
};

/// Which tables are fitted to, by index: of at most two nodes, of one operation and group of ranks (point to point: all
/// of its tables). `fit_to`: an operation's name or "p2p"; empty: the first there is of p2p, sendrecv, all_reduce, any
/// other. Of it those on two nodes, else on one; of them those with the most ranks. `fittable`: how many of the tables
/// may be fitted to; those behind them are predicted only. Throws InputErrors.
std::vector<std::size_t> tables_to_fit(const std::vector<SimulableTable>& tables, std::size_t fittable,
                                       const std::string& fit_to);

/// `tables` must outlive the result. Throws InputErrors (one size alone),
/// NothingDetermined, SimulationFailure.
NetworkFit fit_network(const std::vector<SimulableTable>& tables, const std::vector<std::size_t>& fitted,
                       const TimedSetting& setting, int jobs);

} // namespace gradflight
