#include "analysis/evidence/network_fit/network_fit.hpp"

#include "analysis/evidence/calibration/stepwise_fit.hpp"
#include "analysis/evidence/network_fit/fit_intervals.hpp"
#include "scenarios/language/json/diagnostics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <set>
#include <utility>

namespace gradflight {

namespace {

/// Additional start values: times from 1 us to the time of a loaded host's stack, and shares of a rate.
constexpr std::array start_latencies = {1e-6, 5e-6, 25e-6, 125e-6};
/// Far below its value, a gap has no effect and thus no slope.
constexpr std::array start_gaps = {1e-8, 1e-7, 1e-6, 1e-5};
constexpr std::array start_shares = {1.0, 0.9, 0.75, 0.5, 0.25, 2.0, 4.0};
constexpr std::size_t starts_to_fit = 3;

/// Errors above a tenth count linearly instead of by their square, so that single rows do not decide. Rows on shared
/// machines scatter, and some include effects that the model lacks. (The signed square root of a pseudo-Huber loss.)
double pseudo_huber(double log) {
  constexpr double knee = 0.1;
  const double in_knees = log / knee;
  return std::copysign(knee * std::sqrt(2 * (std::sqrt(1 + in_knees * in_knees) - 1)), log);
}

constexpr double widest_interval = 10; ///< upper end over lower end: a wider interval does not determine the value

class NetworkFitter {
public:
  NetworkFitter(const std::vector<SimulableTable>& tables, const std::vector<std::size_t>& fitted,
                const TimedSetting& setting, int jobs, std::vector<NetworkNumber> numbers)
      : tables_(tables), fitted_(fitted), setting_(setting), jobs_(jobs), numbers_(std::move(numbers)) {}

  /// Fits all numbers. Leaves out the least determined one and fits the others, until each is determined.
  void fit(NetworkFit& result) {
    std::vector<std::size_t> active;
    for (std::size_t i = 0; i < numbers_.size(); ++i)
      if (numbers_[i].why.empty()) active.push_back(i);
    FitPoint from = best_end(active);
    while (!active.empty()) {
      FitResult found = fit_those(active, from);
      // Fit again from the end point. Slopes at a start far from the rows are flatter, which makes intervals wider.
      from = end_of(found);
      found = fit_those(active, from);
      result.converged = found.converged;
      const auto intervals = intervals_of(active, found);
      const auto worst = least_determined(active, found, intervals);
      if (worst) {
        if (found.parameters[*worst].identified)
          for (std::size_t i = 0; i < active.size(); ++i) numbers_[active[i]].interval = intervals[i];
        NetworkNumber& number = numbers_[active[*worst]];
        if (number.interval) number.why = bounds_text(number.parameter, *number.interval);
        from.erase(from.begin() + static_cast<std::ptrdiff_t>(*worst));
        active.erase(active.begin() + static_cast<std::ptrdiff_t>(*worst));
        continue;
      }
      for (std::size_t i = 0; i < active.size(); ++i) keep(numbers_[active[i]], found.parameters[i], intervals[i]);
      break;
    }
    if (active.empty()) throw NothingDetermined(nothing_determined());
    for (NetworkNumber& number : numbers_)
      if (number.determined)
        for (std::string& each : number.parameter.assignments(number.text))
          result.assignments.push_back(std::move(each));
    result.numbers = std::move(numbers_);
    result.evaluations = evaluations_;
  }

private:
  static void keep(NetworkNumber& number, const FittedParameter& found, const std::optional<FitInterval>& interval) {
    number.determined = true;
    number.text = number.parameter.text(found.value, found.uncertainty);
    number.value = parse_quantity(number.text, number.parameter.dimension);
    number.at_bound = found.at_bound;
    number.interval = interval;
    if (number.interval) number.uncertainty = found.uncertainty;
  }

  /// Returns the interval of each number. It includes the intervals of earlier fits with more free numbers, so it also
  /// holds for any value of the numbers left out since.
  std::vector<std::optional<FitInterval>> intervals_of(const std::vector<std::size_t>& active, const FitResult& found) {
    std::vector<const NetworkParameter*> parameters;
    for (const std::size_t i : active) parameters.push_back(&numbers_[i].parameter);
    auto intervals = fit_intervals(parameters, found, [&](const auto& points) { return logs_at(active, points); });
    for (std::size_t i = 0; i < active.size(); ++i)
      if (const auto& before = numbers_[active[i]].interval; before && intervals[i])
        intervals[i] = {std::min(before->first, intervals[i]->first), std::max(before->second, intervals[i]->second)};
    return intervals;
  }

  [[nodiscard]] std::string nothing_determined() const {
    std::string bounds;
    for (const NetworkNumber& number : numbers_)
      if (number.interval)
        bounds += fmt::format("\n  {}: {}", number.parameter.name, number.why.empty() ? "any value" : number.why);
    if (bounds.empty()) return "these rows determine no parameter of the platform: other parts of a call take the time";
    return "these rows determine no parameter of the platform: they are too few, or too "
           "far from the simulation" +
           bounds;
  }

  [[nodiscard]] std::vector<std::string> assigned(const std::vector<std::size_t>& active, const FitPoint& point) const {
    std::vector<std::string> sets;
    for (std::size_t i = 0; i < active.size(); ++i)
      for (std::string& each : numbers_[active[i]].parameter.assignments(numbers_[active[i]].parameter.text(point[i])))
        sets.push_back(std::move(each));
    return sets;
  }

  /// Returns log(simulated / measured), pseudo_huber, of all rows at each point.
  std::vector<FitPoint> logs_at(const std::vector<std::size_t>& active, const std::vector<FitPoint>& points) {
    std::vector<TimedTrial> trials;
    for (const FitPoint& point : points)
      for (const std::size_t table : fitted_) trials.push_back({&tables_[table], assigned(active, point)});
    const auto simulated = simulate_trials(trials, setting_, jobs_);
    evaluations_ += static_cast<int>(points.size());
    std::vector<FitPoint> logs(points.size());
    for (std::size_t i = 0; i < trials.size(); ++i) {
      const std::size_t point = i / fitted_.size();
      const double gap = trials[i].table->timed.benchmark == Benchmark::bandwidth ? gap_at(active, points[point]) : 0;
      for (std::size_t row = 0; row < simulated[i].size(); ++row)
        logs[point].push_back(
            pseudo_huber(std::log((simulated[i][row].seconds + gap) / trials[i].table->timed.rows[row].seconds)));
    }
    return logs;
  }

  /// Returns the gap between two messages of a bandwidth test; 0 if it is not fitted.
  [[nodiscard]] double gap_at(const std::vector<std::size_t>& active, const FitPoint& point) const {
    for (std::size_t i = 0; i < active.size(); ++i)
      if (numbers_[active[i]].parameter.paths.empty()) return point[i];
    return 0;
  }

  static FitPoint end_of(const FitResult& found) {
    FitPoint end;
    for (const FittedParameter& each : found.parameters) end.push_back(each.value);
    return end;
  }

  /// Returns the end of the fit with the least squares, of fits from several starts. A single fit can end where a small
  /// latency has no effect.
  FitPoint best_end(const std::vector<std::size_t>& active) {
    if (active.empty()) return {};
    std::vector<FitPoint> ends;
    for (const FitPoint& start : best_starts(active)) ends.push_back(end_of(fit_those(active, start)));
    const auto logs = logs_at(active, ends);
    const auto best = std::ranges::min_element(logs, {}, sum_of_squares);
    return ends[static_cast<std::size_t>(best - logs.begin())];
  }

  /// Returns the best starts of a grid, each with another value of the first number (the latency, if it is fitted).
  std::vector<FitPoint> best_starts(const std::vector<std::size_t>& active) {
    std::vector<FitPoint> starts{{}};
    for (const std::size_t i : active) {
      const NetworkParameter& p = numbers_[i].parameter;
      FitPoint values{std::clamp(p.start, p.lower, p.upper)};
      if (p.paths.empty())
        values.insert(values.end(), start_gaps.begin(), start_gaps.end());
      else if (p.dimension == Dimension::time)
        values.insert(values.end(), start_latencies.begin(), start_latencies.end());
      else
        for (const double share : start_shares)
          if (share != 1 && share * p.start <= p.upper) values.push_back(share * p.start);
      std::vector<FitPoint> longer;
      for (const FitPoint& start : starts)
        for (const double value : values) {
          longer.push_back(start);
          longer.back().push_back(value);
        }
      starts = std::move(longer);
    }
    const auto logs = logs_at(active, starts);
    std::vector<std::size_t> order(starts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return sum_of_squares(logs[i]); });
    std::vector<FitPoint> best;
    for (const std::size_t i : order)
      if (best.size() < starts_to_fit &&
          std::ranges::none_of(best, [&](const FitPoint& chosen) { return chosen.front() == starts[i].front(); }))
        best.push_back(starts[i]);
    return best;
  }

  FitResult fit_those(const std::vector<std::size_t>& active, const FitPoint& from) {
    std::vector<FitParameter> parameters;
    for (std::size_t i = 0; i < active.size(); ++i) {
      const NetworkParameter& p = numbers_[active[i]].parameter;
      parameters.push_back({p.name, from[i], p.lower, p.upper, FitScale::log});
    }
    // Targets are 1, with the logarithm as the relative error, because a stepwise fit expects relative errors.
    std::vector<FitTarget> targets;
    for (const std::size_t table : fitted_)
      for (const TimedRow& row : tables_[table].timed.rows)
        targets.push_back({fmt::format("{} {} B", tables_[table].timed.name(), row.size_bytes), 1, 0, row.rounding});
    StepwiseFit steps(parameters, targets, {.max_evaluations = 300, .tolerance = 1e-9});
    while (!steps.wanted().empty()) {
      auto logs = logs_at(active, steps.wanted());
      for (FitPoint& point : logs)
        for (double& log : point) log += 1;
      steps.answer(logs);
    }
    return steps.result();
  }

  /// Returns the least determined number, if any. Its changes have no effect, or its interval is wide and contains the
  /// platform's own value.
  [[nodiscard]] std::optional<std::size_t>
  least_determined(const std::vector<std::size_t>& active, const FitResult& found,
                   const std::vector<std::optional<FitInterval>>& intervals) const {
    std::optional<std::size_t> worst;
    double widest = 0;
    for (std::size_t i = 0; i < active.size(); ++i) {
      const FittedParameter& p = found.parameters[i];
      const NetworkParameter& of = numbers_[active[i]].parameter;
      const bool hosts = of.paths.empty();
      double width = 0;
      if (intervals[i]) {
        const auto [low, high] = *intervals[i];
        const bool refutes_start = !hosts && (of.start < low || of.start > high);
        if (high > widest_interval * low && !refutes_start) width = high / low;
      } else if (!p.identified || p.at_bound) {
        // With as many rows as numbers, a value at the end of its range is not determined.
        width = std::numeric_limits<double>::infinity();
      }
      if (hosts && p.at_bound) width = std::numeric_limits<double>::infinity();
      if (width > widest) {
        widest = width;
        worst = i;
      }
    }
    return worst;
  }

  const std::vector<SimulableTable>& tables_;
  const std::vector<std::size_t>& fitted_;
  const TimedSetting& setting_;
  int jobs_, evaluations_ = 0;
  std::vector<NetworkNumber> numbers_;
};

void require_several_sizes(const std::vector<SimulableTable>& tables, const std::vector<std::size_t>& fitted) {
  std::set<double> sizes;
  for (const std::size_t i : fitted)
    for (const TimedRow& row : tables[i].timed.rows) sizes.insert(row.size_bytes);
  const TimedTable& first = tables[fitted.front()].timed;
  if (sizes.size() < 2)
    throw InputErrors(
        {{first.file, first.line, 1, "",
          fmt::format("{}: a single size, {} B, cannot separate latency from rate; at least two are needed",
                      first.name(), *sizes.begin())}});
}

std::vector<NetworkNumber> numbers_of(const PlatformSpec& platform, bool between, bool both_ways,
                                      const TimedTable& first) {
  std::vector<NetworkNumber> numbers;
  for (NetworkParameter& p : network_parameters(platform, between, both_ways)) {
    const double start = p.start;
    numbers.push_back({std::move(p), false, {}, start, {}, false, {}, {}});
  }
  if (numbers.empty())
    throw InputErrors({{first.file, first.line, 1, "",
                        fmt::format("{}: the platform has no separate link {}, so nothing can be fitted", first.name(),
                                    between ? "between all nodes" : "inside a node")}});
  return numbers;
}

/// Bandwidth tests alone do not determine a latency; they determine the gap between messages.
void adapt_to_benchmarks(std::vector<NetworkNumber>& numbers, const std::vector<SimulableTable>& tables,
                         const std::vector<std::size_t>& fitted) {
  const auto streams = [&](std::size_t i) { return tables[i].timed.benchmark == Benchmark::bandwidth; };
  if (std::ranges::none_of(fitted, streams)) return;
  constexpr double least_gap = 1e-9, most_gap = 1e-2;
  if (std::ranges::all_of(fitted, streams))
    for (NetworkNumber& number : numbers)
      if (number.parameter.dimension == Dimension::time)
        number.why = "a bandwidth test keeps many messages in flight; a log of osu_latency determines it";
  numbers.push_back(
      {{"time between messages", {}, Dimension::time, 0, least_gap, most_gap}, false, {}, 0, {}, false, {}, {}});
}

/// Rows of large calls alone do not determine a latency: it would absorb costs that the model lacks.
void adapt_to_sizes(std::vector<NetworkNumber>& numbers, const std::vector<SimulableTable>& tables,
                    const std::vector<std::size_t>& fitted) {
  constexpr double small_call = 65536; // also in typical_network.cpp
  const auto has_small = [&](std::size_t i) { return tables[i].timed.rows.front().size_bytes <= small_call; };
  if (std::ranges::any_of(fitted, has_small)) return;
  for (NetworkNumber& number : numbers)
    if (number.parameter.dimension == Dimension::time && number.why.empty())
      number.why = "rows of at most 64 KiB determine it";
}

/// Returns why the rate of a table on more than two nodes is less certain than the scatter of its rows suggests.
std::string contention_in(const TimedTable& table, const PlatformSpec& platform) {
  if (table.nodes <= 2) return {};
  const bool meets = table.op == Operation::alltoall || table.op == Operation::gather || table.op == Operation::scatter;
  if (platform.network.topology == Topology::star && !meets) return {};
  return fmt::format("on {} nodes, messages share {} by routes that the platform only assumes. So the rate is less "
                     "certain than its interval; a log of two nodes determines it better",
                     table.nodes, platform.network.topology == Topology::star ? "the receivers' cables" : "cables");
}

bool tells_rate(const NetworkFit& fit) {
  return std::ranges::any_of(fit.numbers, [](const NetworkNumber& number) {
    return number.determined && number.parameter.dimension == Dimension::byte_rate;
  });
}

} // namespace

double NetworkFit::gap() const {
  for (const NetworkNumber& number : numbers)
    if (number.determined && number.parameter.paths.empty()) return number.value;
  return 0;
}

ErrorStatistics NetworkFit::summary(bool fitted) const {
  std::vector<double> errors;
  for (const ComparedTable& each : tables)
    if (each.fitted == fitted)
      for (std::size_t row = 0; row < each.rows.size(); ++row) errors.push_back(std::abs(each.error(row)));
  return statistics_of(errors);
}

NetworkFit fit_network(const std::vector<SimulableTable>& tables, const std::vector<std::size_t>& fitted,
                       const TimedSetting& setting, int jobs) {
  const TimedTable& first = tables[fitted.front()].timed;
  require_several_sizes(tables, fitted);
  const auto fit_with = [&](bool both_ways) {
    NetworkFit result;
    result.between_nodes = first.nodes > 1;
    const PlatformSpec platform = platform_of(setting, tables);
    auto numbers = numbers_of(platform, result.between_nodes, both_ways, first);
    adapt_to_benchmarks(numbers, tables, fitted);
    adapt_to_sizes(numbers, tables, fitted);
    result.caution = contention_in(first, platform);
    NetworkFitter(tables, fitted, setting, jobs, std::move(numbers)).fit(result);
    return result;
  };
  NetworkFit result;
  const bool both_ways = std::ranges::any_of(fitted, [&](std::size_t i) { return tables[i].timed.both_ways(); });
  try {
    result = fit_with(both_ways);
  } catch (const NothingDetermined&) {
    if (!both_ways) throw;
  }
  // If no NIC both sends and receives, fit the rate of one direction.
  if (both_ways && !tells_rate(result)) {
    try {
      if (NetworkFit other = fit_with(false); tells_rate(other) || result.numbers.empty()) result = std::move(other);
    } catch (const NothingDetermined&) {
      if (result.numbers.empty()) throw;
    }
  }
  std::vector<TimedTrial> trials;
  for (const SimulableTable& table : tables) trials.push_back({&table, result.assignments});
  auto simulated = simulate_trials(trials, setting, jobs);
  for (std::size_t i = 0; i < tables.size(); ++i) {
    if (tables[i].timed.benchmark == Benchmark::bandwidth)
      for (SimulatedRow& row : simulated[i]) row.seconds += result.gap();
    result.tables.push_back({&tables[i].timed, std::ranges::count(fitted, i) > 0, std::move(simulated[i])});
  }
  return result;
}

} // namespace gradflight
