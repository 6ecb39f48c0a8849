// Fits latency and rate of a network (or of the links inside a node) to measured tables by simulation, and predicts all
// other tables (docs/calibration.md).
//
// It uses least squares over log(simulated / measured), with equal weight for each size, by Gauss-Newton steps
// (stepwise_fit.hpp) from the best three starts of a grid, and keeps the best end. Numbers keep the platform's values
// if the rows do not determine them, or only within a factor of more than ten. A bandwidth test keeps many messages in
// transit, so it does not determine a latency. The time of a host between two messages is fitted together with its rate
// (the gap of LogGP, Alexandrov et al., SPAA 1995), but is not part of the platform.
#pragma once

#include "analysis/evidence/error_statistics.hpp"
#include "analysis/evidence/network_fit/network_parameters.hpp"
#include "analysis/evidence/network_fit/timed_simulation.hpp"

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace gradflight {

/// The rows do not determine any number.
class NothingDetermined : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct NetworkNumber {
  NetworkParameter parameter;
  bool determined = false;
  std::string text{};                  ///< as assigned, if determined
  double value = 0;                    ///< the value of `text`; the start value if it is not determined
  std::optional<double> uncertainty{}; ///< 1 sigma; absent: too few rows
  bool at_bound = false;
  /// The 95 % interval: Student's t for a time or the time of a byte, plus the possible shift by the rounding of the
  /// rows. Absent for too few rows. An open end is that of the parameter's range. It holds for all values of numbers
  /// that the rows determine less. A number that is not determined has an interval if the interval is the reason.
  std::optional<std::pair<double, double>> interval{};
  std::string why{}; ///< the reason if it is not determined, besides the common reason
};

struct ComparedTable {
  const TimedTable* table = nullptr;
  bool fitted = false;
  std::vector<SimulatedRow> rows{}; ///< one for each row of the table
  [[nodiscard]] double error(std::size_t row) const { return rows[row].seconds / table->rows[row].seconds - 1; }
};

struct NetworkFit {
  bool between_nodes = true;
  std::string caution{}; ///< why the rate is less certain than its interval; empty: no reason is known
  std::vector<NetworkNumber> numbers{};
  std::vector<std::string> assignments{}; ///< PATH=VALUE for each determined number
  std::vector<ComparedTable> tables{};    ///< in the given order
  int evaluations = 0;                    ///< simulations of all tables in the fit
  bool converged = false;

  /// Returns the errors of the rows that are fitted, or of the others.
  [[nodiscard]] ErrorStatistics summary(bool fitted) const;
  /// Returns the time of a host between two messages of a bandwidth test, in seconds; 0: not fitted.
  [[nodiscard]] double gap() const;
};

/// In place of an operation: of tests between two ranks.
inline constexpr const char* point_to_point_name = "p2p";

/// Returns the indices of the tables for the fit: those of one operation and group of ranks (for point to point, all of
/// its tables). `fit_to` is the name of an operation or "p2p". If it is empty, the order is p2p, sendrecv, all_reduce,
/// any other; tables on at most two nodes have priority. Of this operation, it uses tables on two nodes, else on one,
/// else on the fewest; of those, the ones with the most ranks. `fittable` is the number of tables that may be used;
/// later ones are only predicted. Throws InputErrors.
std::vector<std::size_t> tables_to_fit(const std::vector<SimulableTable>& tables, std::size_t fittable,
                                       const std::string& fit_to);

/// `tables` must outlive the result. Throws InputErrors (only one size), NothingDetermined, SimulationFailure.
NetworkFit fit_network(const std::vector<SimulableTable>& tables, const std::vector<std::size_t>& fitted,
                       const TimedSetting& setting, int jobs);

} // namespace gradflight
