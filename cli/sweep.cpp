// `sweep`: runs what a directory does not hold yet, a process for each point.
#include "analysis/exploration/sweep_child.hpp"
#include "analysis/exploration/sweep_quantities.hpp"
#include "analysis/exploration/sweep_records.hpp"
#include "analysis/runs/children.hpp"
#include "analysis/runs/prepare.hpp"
#include "analysis/text/human.hpp"
#include "analysis/text/output_file.hpp"
#include "cli/console.hpp"
#include "cli/exit_codes.hpp"
#include "cli/sweep_commands.hpp"
#include "cli/sweep_progress.hpp"
#include "models/units/unit_text.hpp"
#include "scenarios/language/json/json_reader.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <fmt/format.h>
#include <map>
#include <poll.h>
#include <set>
#include <stdexcept>

namespace gradflight::cli {
namespace {

namespace fs = std::filesystem;

ForkLimits limits_of(const Sweep& sweep, const SweepOptions& options) {
  ForkLimits limits;
  if (sweep.limits.wall) limits.wall_s = sweep.limits.wall->value();
  if (sweep.limits.memory) limits.memory_bytes = static_cast<std::uint64_t>(sweep.limits.memory->value());
  try {
    if (!options.wall.empty()) limits.wall_s = parse_quantity(options.wall, Dimension::time);
    if (!options.memory.empty())
      limits.memory_bytes = static_cast<std::uint64_t>(parse_quantity(options.memory, Dimension::bytes));
  } catch (const UnitError& error) {
    throw std::invalid_argument(error.what());
  }
  return limits;
}

/// One valid point is enough; where there is none, the errors of the first ones, at most a few.
void require_a_valid_point(const Sweep& sweep, const std::vector<std::int64_t>& combinations) {
  constexpr std::size_t told = 3;
  std::vector<Diagnostic> errors;
  std::size_t points = 0;
  for (const auto combination : combinations) {
    auto point = point_at(sweep, combination);
    if (point.scenario) {
      std::optional<Platform> platform;
      const auto shape = shape_errors(*point.scenario, platform);
      if (shape.empty()) return;
      for (const auto& error : shape)
        point.errors.push_back({fmt::format("point {}", combination), 0, 0, error.pointer, error.message});
    }
    if (points++ >= told) continue;
    for (auto& error : point.errors)
      if (std::ranges::find(errors, error) == errors.end()) errors.push_back(std::move(error));
  }
  print_message(
      fmt::format("gradflight sweep: no valid scenario among {}\n", counted(std::ssize(combinations), "point")));
  throw InputErrors(std::move(errors));
}

/// DIR belongs to one sweep. Several shards may come here at once: all would write the same.
void claim(const fs::path& directory, const Sweep& sweep) {
  const auto text = self_contained_json(sweep);
  const auto file = directory / "sweep.json";
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) throw OutputError(fmt::format("cannot write {}: {}", directory.string(), error.message()));
  if (!fs::exists(file)) {
    try {
      OutputFile out(file);
      out.write(text);
      out.commit();
    } catch (const OutputError&) {
      if (!fs::exists(file)) throw; // else another shard was faster
    }
  }
  if (read_file(file.string()).text != text)
    throw OutputError(fmt::format("{} holds another sweep (its base, axes, condition or kept quantities differ); give "
                                  "another directory",
                                  directory.string()));
}

class Run {
public:
  Run(const Sweep& sweep, std::vector<std::int64_t> combinations, const SweepOptions& options, const ForkLimits& limits)
      : sweep_(sweep), combinations_(std::move(combinations)), columns_(quantity_columns(sweep)), limits_(limits),
        jobs_(options.jobs > 0 ? options.jobs : usable_cores()), writer_(options.out) {
    auto records = read_records(options.out);
    for (auto& [id, record] : records.by_id)
      if (!options.retry || record.status != PointStatus::killed) before_[id] = record.status;
    damaged_ = records.damaged_lines;
  }

  /// Exit code.
  int all() {
    const auto total = std::ssize(combinations_);
    SweepProgress progress(total, 0);
    std::optional<std::string> trouble;
    try {
      while (start_some() || !running_.empty()) {
        wait_for_one();
        progress.update(done_, done_ - count_[PointStatus::ok]);
      }
      writer_.flush();
    } catch (const OutputError& error) {
      trouble = error.what();
    }
    return finish(trouble);
  }

private:
  /// Fills the free places. False: nothing is left to start.
  bool start_some() {
    while (std::ssize(running_) < jobs_ && next_ < combinations_.size()) {
      auto point = point_at(sweep_, combinations_[next_++]);
      if (!seen_.insert(point.id).second) {
        ++done_;
        ++repeated_;
      } else if (const auto known = before_.find(point.id); known != before_.end()) {
        count(known->second);
        ++resumed_;
      } else if (!point.scenario) {
        count(PointStatus::invalid); // merge finds that out by itself
      } else {
        running_.emplace_back(std::move(point), columns_, limits_);
      }
    }
    return next_ < combinations_.size();
  }

  void count(PointStatus status) {
    ++done_;
    ++count_[status];
  }

  void wait_for_one() {
    if (running_.empty()) return;
    std::vector<pollfd> waits;
    double patience = -1;
    for (auto& child : running_) {
      waits.push_back({child.work().descriptor(), POLLIN, 0});
      if (const auto left = child.work().time_left()) patience = patience < 0 ? *left : std::min(patience, *left);
    }
    poll(waits.data(), waits.size(), patience < 0 ? -1 : static_cast<int>(std::min(std::ceil(patience * 1e3), 1e6)));
    for (std::size_t i = waits.size(); i-- > 0;) {
      const bool closed = waits[i].revents != 0 && running_[i].work().read_some();
      const bool late = !closed && running_[i].work().time_left() == 0.0;
      if (!closed && !late) continue;
      const auto record = running_[i].finish(late);
      running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
      writer_.append(record);
      count(record.status);
    }
  }

  int finish(const std::optional<std::string>& trouble) {
    running_.clear();
    if (damaged_ > 0)
      print_message(
          fmt::format("gradflight sweep: {} cut short by an earlier end: run again\n", counted(damaged_, "record")));
    std::string text = counted(done_ - repeated_, "point") + " done:";
    const char* separator = " ";
    for (const auto& [status, number] : count_) {
      if (number == 0) continue;
      text += fmt::format("{}{} {}", separator, number, point_status_name(status));
      separator = ", ";
    }
    if (resumed_ > 0) text += fmt::format(" ({} before)", resumed_);
    if (repeated_ > 0) text += fmt::format("; {} the same as another", repeated_);
    print_result(text + "\n");
    if (!trouble) return done;
    flush_result();
    print_message(
        fmt::format("gradflight sweep: {}\nThe sweep is incomplete: run it again to do the rest.\n", *trouble));
    return incomplete;
  }

  const Sweep& sweep_;
  std::vector<std::int64_t> combinations_;
  std::vector<QuantityColumn> columns_;
  ForkLimits limits_;
  int jobs_;
  std::deque<PointChild> running_;
  RecordWriter writer_;
  std::map<std::string, PointStatus> before_;
  std::set<std::string> seen_;
  std::map<PointStatus, std::int64_t> count_;
  std::size_t next_ = 0;
  std::int64_t done_ = 0, repeated_ = 0, resumed_ = 0, damaged_ = 0;
};

int usage(const std::string& message) {
  print_message(fmt::format("gradflight sweep: {}\n(see gradflight sweep --help)\n", message));
  return bad_input;
}

} // namespace

int sweep(const SweepOptions& options) {
  Shard shard;
  ForkLimits limits;
  const Sweep plan = load_sweep(options.sweep.string(), quantity_problem);
  try {
    limits = limits_of(plan, options);
    shard = shard_of(options.slurm_tasks > 0 ? "0/1" : options.shard);
  } catch (const std::invalid_argument& error) {
    return usage(error.what());
  }
  const auto combinations = selected_combinations(plan);
  require_a_valid_point(plan, combinations);
  if (options.slurm_tasks > 0) {
    print_result(slurm_script(options));
    return done;
  }
  claim(options.out, plan);
  std::vector<std::int64_t> mine;
  for (std::size_t i = 0; i < combinations.size(); ++i)
    if (static_cast<std::int64_t>(i) % shard.count == shard.index) mine.push_back(combinations[i]);
  return Run(plan, std::move(mine), options, limits).all();
}

} // namespace gradflight::cli
