#include "analysis/evidence/network_fit/network_fit.hpp"

#include "analysis/evidence/calibration/stepwise_fit.hpp"
#include "base/percentile.hpp"
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

using Point = std::vector<double>;
using Bounds = std::pair<double, double>;

/// Additional start values: times from 1 us to the time of a loaded host's stack, and shares of a rate.
constexpr std::array start_latencies = {1e-6, 5e-6, 25e-6, 125e-6};
/// Far below its value, a gap has no effect and thus no slope.
constexpr std::array start_gaps = {1e-8, 1e-7, 1e-6, 1e-5};
constexpr std::array start_shares = {1.0, 0.9, 0.75, 0.5, 0.25, 2.0, 4.0};

/// Errors above a tenth count linearly instead of by their square, so that single rows do not decide. Rows on shared
/// machines scatter, and some include effects that the model lacks. (The signed square root of a pseudo-Huber loss.)
double pseudo_huber(double log) {
  constexpr double knee = 0.1;
  const double in_knees = log / knee;
  return std::copysign(knee * std::sqrt(2 * (std::sqrt(1 + in_knees * in_knees) - 1)), log);
}

/// Returns the quantile of Student's t with 2.5 % above it (Abramowitz & Stegun, table 26.10; 26.7.5 beyond 30).
double student_t(std::size_t freedom) {
  constexpr std::array few = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                              2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
                              2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
  if (freedom <= few.size()) return few[std::max<std::size_t>(freedom, 1) - 1];
  constexpr double normal = 1.959964;
  return normal + (normal * normal * normal + normal) / (4 * static_cast<double>(freedom));
}

constexpr double widest_interval = 10; ///< upper end over lower end: a wider interval does not determine the value
constexpr double own_accuracy = 1e-6;  ///< relative accuracy of a fit to rows without scatter
/// The share of the predicted rise of the sum of squares that suffices at the end of an interval: slopes change a
/// little over an interval.
constexpr double least_rise = 0.8;

/// Returns the value, within the parameter's range, with times that are longer by `share` of the part that they owe to
/// the parameter; shorter for a negative share. Times are linear in a latency and in the time of a byte.
double moved(const NetworkParameter& parameter, double value, double share) {
  if (parameter.dimension == Dimension::time) return std::clamp(value * (1 + share), parameter.lower, parameter.upper);
  return share > -1 ? std::clamp(value / (1 + share), parameter.lower, parameter.upper) : parameter.upper;
}

Bounds bounds_within(const NetworkParameter& parameter, double value, double shorter, double longer) {
  const double one = moved(parameter, value, -shorter), other = moved(parameter, value, longer);
  return {std::min({one, other, value}), std::max({one, other, value})};
}

/// Returns the 95 % interval in shares of the value, the same in both directions. Nothing for too few rows.
std::optional<double> share_of(const FittedParameter& found, const FitResult& all) {
  if (!found.identified || !std::isfinite(found.uncertainty)) return std::nullopt;
  const std::size_t freedom = all.residuals.size() - all.parameters.size();
  return (student_t(freedom) * found.uncertainty + found.rounding) / found.value + own_accuracy;
}

/// Returns why a number with a wide interval is not determined.
std::string bounds_text(const NetworkParameter& p, const Bounds& interval) {
  const auto [low, high] = interval;
  const bool open_below = low <= p.lower, open_above = high >= p.upper;
  if (open_below && open_above) return {};
  return "with 95 % it is " + (open_below   ? "at most " + p.shown(high)
                               : open_above ? "at least " + p.shown(low)
                                            : fmt::format("from {} to {}", p.shown(low), p.shown(high)));
}

double squared(const Point& logs) { return std::inner_product(logs.begin(), logs.end(), logs.begin(), 0.0); }

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
    Point from = best_start(active);
    while (!active.empty()) {
      FitResult found = fit_those(active, from);
      // Fit again from the end point. Slopes at a start far from the rows are flatter, which makes intervals wider.
      from.clear();
      for (const FittedParameter& each : found.parameters) from.push_back(each.value);
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
  static void keep(NetworkNumber& number, const FittedParameter& found, const std::optional<Bounds>& interval) {
    number.determined = true;
    number.text = number.parameter.text(found.value, found.uncertainty);
    number.value = parse_quantity(number.text, number.parameter.dimension);
    number.at_bound = found.at_bound;
    number.interval = interval;
    if (number.interval) number.uncertainty = found.uncertainty;
  }

  /// The end of an interval on one side of a value.
  struct End {
    std::size_t number;
    double direction; ///< 1: longer times; -1: shorter ones
    double share;     ///< see moved()
  };

  /// Returns the interval of each number. It includes the intervals of earlier fits with more free numbers, so it also
  /// holds for any value of the numbers left out since.
  std::vector<std::optional<Bounds>> intervals_of(const std::vector<std::size_t>& active, const FitResult& found) {
    std::vector<std::optional<Bounds>> intervals(active.size());
    std::vector<End> ends;
    for (std::size_t i = 0; i < active.size(); ++i)
      if (const auto share = share_of(found.parameters[i], found))
        for (const double direction : {-1.0, 1.0}) ends.push_back({i, direction, *share});
    extend_flat(ends, active, found);
    for (std::size_t k = 0; k < ends.size(); k += 2) {
      const NetworkNumber& number = numbers_[active[ends[k].number]];
      Bounds bounds =
          bounds_within(number.parameter, found.parameters[ends[k].number].value, ends[k].share, ends[k + 1].share);
      if (number.interval)
        bounds = {std::min(number.interval->first, bounds.first), std::max(number.interval->second, bounds.second)};
      intervals[ends[k].number] = bounds;
    }
    return intervals;
  }

  /// Moves each end outwards until the sum of squares has risen as much as the slopes at the value predict. Times are
  /// not smooth everywhere: below the time that NCCL's own steps take, a link's latency has no effect, and a fit may
  /// end at this very point, with a slope on one side only. The rise is compared within two sigma, because far ends of
  /// few rows have errors that no longer count by their square.
  void extend_flat(std::vector<End>& ends, const std::vector<std::size_t>& active, const FitResult& found) {
    double least = 0;
    for (const FitResidual& row : found.residuals) least += row.relative_error() * row.relative_error();
    if (ends.empty() || !(least > own_accuracy * own_accuracy)) return;
    const std::size_t freedom = found.residuals.size() - active.size();
    const double t = student_t(freedom), compared = std::min(t, 2.0);
    const double enough = least_rise * compared * compared * least / static_cast<double>(freedom);
    Point value;
    for (const FittedParameter& each : found.parameters) value.push_back(each.value);
    const auto at = [&](const End& end, double share) {
      return moved(numbers_[active[end.number]].parameter, value[end.number], end.direction * share);
    };
    std::vector<End*> open;
    for (End& end : ends) open.push_back(&end);
    while (true) {
      // An end at the limit of the parameter's range stays there.
      std::erase_if(open, [&](const End* end) { return at(*end, end->share) == at(*end, 2 * end->share); });
      if (open.empty()) return;
      std::vector<Point> points;
      for (const End* end : open) {
        points.push_back(value);
        points.back()[end->number] = at(*end, end->share * compared / t);
      }
      const auto logs = logs_at(active, points);
      std::vector<End*> flat;
      for (std::size_t k = 0; k < open.size(); ++k) {
        if (squared(logs[k]) - least >= enough) continue;
        open[k]->share *= 2;
        flat.push_back(open[k]);
      }
      open = std::move(flat);
    }
  }

  [[nodiscard]] std::string nothing_determined() const {
    std::string bounds;
    for (const NetworkNumber& number : numbers_)
      if (number.interval)
        bounds += fmt::format("\n  {}: {}", number.parameter.name, number.why.empty() ? "any value" : number.why);
    if (bounds.empty()) return "these rows determine no parameter of the platform: other parts of a call take the time";
    return "these rows determine no parameter of the platform: they are too few, or differ too much from the "
           "simulation" +
           bounds;
  }

  [[nodiscard]] std::vector<std::string> assigned(const std::vector<std::size_t>& active, const Point& point) const {
    std::vector<std::string> sets;
    for (std::size_t i = 0; i < active.size(); ++i)
      for (std::string& each : numbers_[active[i]].parameter.assignments(numbers_[active[i]].parameter.text(point[i])))
        sets.push_back(std::move(each));
    return sets;
  }

  /// Returns log(simulated / measured), pseudo_huber, of all rows at each point.
  std::vector<Point> logs_at(const std::vector<std::size_t>& active, const std::vector<Point>& points) {
    std::vector<TimedTrial> trials;
    for (const Point& point : points)
      for (const std::size_t table : fitted_) trials.push_back({&tables_[table], assigned(active, point)});
    const auto simulated = simulate_trials(trials, setting_, jobs_);
    evaluations_ += static_cast<int>(points.size());
    std::vector<Point> logs(points.size());
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
  [[nodiscard]] double gap_at(const std::vector<std::size_t>& active, const Point& point) const {
    for (std::size_t i = 0; i < active.size(); ++i)
      if (numbers_[active[i]].parameter.paths.empty()) return point[i];
    return 0;
  }

  Point best_start(const std::vector<std::size_t>& active) {
    std::vector<Point> starts{{}};
    for (const std::size_t i : active) {
      const NetworkParameter& p = numbers_[i].parameter;
      Point values{std::clamp(p.start, p.lower, p.upper)};
      if (p.paths.empty())
        values.insert(values.end(), start_gaps.begin(), start_gaps.end());
      else if (p.dimension == Dimension::time)
        values.insert(values.end(), start_latencies.begin(), start_latencies.end());
      else
        for (const double share : start_shares)
          if (share != 1 && share * p.start <= p.upper) values.push_back(share * p.start);
      std::vector<Point> longer;
      for (const Point& start : starts)
        for (const double value : values) {
          longer.push_back(start);
          longer.back().push_back(value);
        }
      starts = std::move(longer);
    }
    const auto logs = logs_at(active, starts);
    const auto best = std::ranges::min_element(logs, {}, squared);
    return starts[static_cast<std::size_t>(best - logs.begin())];
  }

  FitResult fit_those(const std::vector<std::size_t>& active, const Point& from) {
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
      for (Point& point : logs)
        for (double& log : point) log += 1;
      steps.answer(logs);
    }
    return steps.result();
  }

  /// Returns the least determined number, if any. Its changes have no effect, or its interval is wide and contains the
  /// platform's own value.
  [[nodiscard]] std::optional<std::size_t> least_determined(const std::vector<std::size_t>& active,
                                                            const FitResult& found,
                                                            const std::vector<std::optional<Bounds>>& intervals) const {
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

TimedErrors NetworkFit::summary(bool fitted) const {
  std::vector<double> errors;
  for (const ComparedTable& each : tables)
    if (each.fitted == fitted)
      for (std::size_t row = 0; row < each.rows.size(); ++row) errors.push_back(std::abs(each.error(row)));
  if (errors.empty()) return {};
  return {errors.size(), percentile(errors, 0.5), percentile(errors, 0.9)};
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
