#include "analysis/explore/sweeps/sweep_run.hpp"

#include "analysis/explore/sweeps/sweep_quantities.hpp"
#include "analysis/run/failure_text.hpp"
#include "analysis/run/files/output_file.hpp"
#include "analysis/run/prepare.hpp"
#include "analysis/run/runner.hpp"
#include "base/human.hpp"
#include "models/units/unit_text.hpp"
#include "scenarios/language/json/json_reader.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <mutex>
#include <set>
#include <stdexcept>
#include <utility>

namespace gradflight {

namespace fs = std::filesystem;

/// The result of the work on one combination.
struct PointFinding {
  enum class Kind : std::uint8_t { new_record, resumed, repeated, no_scenario };
  Kind kind = Kind::new_record;
  std::string id;
  PointStatus status = PointStatus::ok;
  std::string message{};     ///< why it is not ok
  std::vector<Cell> cells{}; ///< of a new record
};

template <class Visitor, Same<PointFinding> Finding> void visit(Visitor& fields, Finding& f) {
  auto& [kind, id, status, message, cells] = f;
  fields(kind, id, status, message, cells);
}

namespace {

/// Errors of the shape have no line in a file here; the pointer is sufficient.
std::string shape_message(const std::vector<PlatformError>& errors) {
  std::vector<Diagnostic> found;
  for (const auto& error : errors) found.push_back({{}, 0, 0, error.pointer, error.message});
  return brief_message(found);
}

/// Describes where two texts differ: `line 7 has "16 ]", not "32 ]"`.
std::string first_difference(const std::string& got, const std::string& wanted) {
  auto at = static_cast<std::size_t>(std::ranges::mismatch(got, wanted).in1 - got.begin());
  while (at > 0 && (std::isalnum(static_cast<unsigned char>(got[at - 1])) != 0 || got[at - 1] == '.')) --at;
  const auto line = 1 + std::ranges::count(std::string_view(got).substr(0, at), '\n');
  const auto from = [at](const std::string& text) {
    const auto rest = text.substr(at, text.find('\n', at) - at);
    return rest.empty() ? "an end" : brief_text(Node::of(rest));
  };
  return fmt::format("line {} has {}, not {}", line, from(got), from(wanted));
}

class SweepRun {
public:
  SweepRun(const Sweep& sweep, const std::vector<std::int64_t>& combinations, const SweepRunOptions& options)
      : sweep_(sweep), combinations_(combinations), options_(options), columns_(quantity_columns(sweep)),
        writer_(options.directory) {
    auto records = read_records(options.directory);
    for (auto& [id, record] : records.by_id)
      if (!options.retry || record.status != PointStatus::killed)
        before_[id] = {PointFinding::Kind::resumed, id, record.status, std::move(record.message)};
    tally_.damaged = records.damaged_lines;
  }

  SweepTally run(const std::function<void(const SweepTally&)>& progress) {
    try {
      run_cases(
          combinations_.size(),
          {.jobs = options_.jobs,
           .limits = options_.limits,
           .in_order = false,
           .progress = [&](std::int64_t, std::int64_t) { progress(tally_); }},
          [&](std::size_t index, Process process) { return find(combinations_[index], process); },
          [&](std::size_t index, Answer<PointFinding> answer) { take(combinations_[index], std::move(answer)); });
      writer_.flush();
    } catch (const OutputError& error) {
      tally_.trouble = error.what();
    }
    return std::move(tally_);
  }

private:
  /// Runs in a thread of the worker process, or in its own process.
  PointFinding find(std::int64_t combination, Process process) {
    using Kind = PointFinding::Kind;
    auto point = point_at(sweep_, combination);
    PointFinding finding{Kind::new_record, point.id};
    if (process == Process::shared && !is_first(point.id)) {
      finding.kind = Kind::repeated;
    } else if (const auto known = before_.find(point.id); known != before_.end()) {
      finding = known->second;
    } else if (!point.scenario) {
      finding.kind = Kind::no_scenario; // merge detects this itself
      finding.status = PointStatus::invalid;
      finding.message = brief_message(point.errors);
    } else {
      if (process == Process::shared && options_.limits.any()) throw NeedsOwnProcess();
      simulate_point(std::move(point), process, finding);
    }
    return finding;
  }

  void simulate_point(SweepPoint point, Process process, PointFinding& finding) const {
    Preparation preparation;
    if (const auto errors = preparation.build_and_expect(*point.scenario); !errors.empty()) {
      finding.status = PointStatus::invalid;
      finding.message = shape_message(errors);
      return;
    }
    try {
      const auto prepared = preparation.finish(std::move(*point.scenario), std::move(point.id));
      finding.cells = quantity_cells(evaluate(prepared, {.process = process}), columns_);
    } catch (const SimulationFailure& failure) {
      finding.status = PointStatus::failed;
      finding.message = failure_line(failure.what(), failure.blocked, failure.blocked_count);
    }
  }

  /// Returns whether no earlier point has this identifier. Compares with points of other threads of this process, and
  /// with those reported before it began.
  bool is_first(const std::string& id) {
    const std::lock_guard lock(seen_mutex_);
    return seen_.insert(id).second;
  }

  void take(std::int64_t combination, Answer<PointFinding> answer) {
    using Kind = PointFinding::Kind;
    auto& finding = answer.value;
    if (!answer.finished()) finding = ended_early(combination, answer.end);
    ++tally_.done;
    // A point that ran alone was not compared with those that ran meanwhile.
    if (finding.kind == Kind::repeated || !seen_.insert(finding.id).second) {
      ++tally_.repeated;
      return;
    }
    ++tally_.with[finding.status];
    SweepTally::Reason reason{combination, finding.message};
    const auto [first, is_new] = tally_.first.try_emplace(finding.status, reason);
    if (!is_new && combination < first->second.point) first->second = std::move(reason);
    if (finding.kind == Kind::resumed) ++tally_.resumed;
    if (finding.kind != Kind::new_record) return;
    writer_.append({std::move(finding.id), finding.status, std::move(finding.message), std::move(finding.cells),
                    answer.end.wall_s, answer.end.max_rss_bytes});
  }

  [[nodiscard]] PointFinding ended_early(std::int64_t combination, const WorkEnd& end) const {
    using Kind = WorkEnd::Kind;
    PointFinding finding;
    finding.id = point_at(sweep_, combination).id;
    finding.status = end.kind == Kind::threw ? PointStatus::failed : PointStatus::killed;
    switch (end.kind) {
    case Kind::no_memory:
      finding.message =
          options_.limits.memory_bytes
              ? fmt::format("more memory than {}",
                            format_quantity(static_cast<double>(*options_.limits.memory_bytes), Dimension::bytes))
              : "not enough memory";
      break;
    case Kind::out_of_time:
      finding.message =
          fmt::format("not done after {}", format_quantity(options_.limits.wall_s.value(), Dimension::time));
      break;
    case Kind::killed: finding.message = "killed by " + end.text; break;
    case Kind::vanished: finding.message = "its process ended without a result: " + end.text; break;
    default: finding.message = end.message();
    }
    return finding;
  }

  const Sweep& sweep_;
  const std::vector<std::int64_t>& combinations_;
  const SweepRunOptions& options_;
  std::vector<QuantityColumn> columns_;
  RecordWriter writer_;
  std::map<std::string, PointFinding> before_;
  std::set<std::string> seen_; ///< of the combinations so far
  std::mutex seen_mutex_;      ///< guards seen_ among the threads of the worker process
  SweepTally tally_;
};

} // namespace

std::vector<Diagnostic> errors_of_point(const Sweep& sweep, std::int64_t combination) {
  auto point = point_at(sweep, combination);
  if (point.scenario)
    for (const auto& error : shape_errors(*point.scenario))
      point.errors.push_back({fmt::format("point {}", combination), 0, 0, error.pointer, error.message});
  return std::move(point.errors);
}

std::vector<Diagnostic> errors_of_all(const Sweep& sweep, const std::vector<std::int64_t>& combinations) {
  constexpr std::size_t told = 10;
  std::vector<Diagnostic> errors;
  for (const auto combination : combinations) {
    auto own = errors_of_point(sweep, combination);
    if (own.empty()) return {};
    for (auto& error : own)
      if (errors.size() < told && std::ranges::find(errors, error) == errors.end()) errors.push_back(std::move(error));
  }
  if (errors.empty()) return errors;
  errors.insert(errors.begin(),
                {sweep.sources.name(Document::itself), 0, 0, "",
                 fmt::format("no valid scenario among {}", counted(std::ssize(combinations), "point"))});
  return errors;
}

/// Returns the parts in which two sweeps differ, apart from the name; leaves both as they are.
std::vector<std::string> different_parts(Sweep& one, Sweep& other) {
  const std::string text = self_contained_json(one);
  std::vector<std::string> parts;
  const auto compare = [&](const char* part, const auto& exchange_part) {
    exchange_part();
    if (self_contained_json(one) != text) parts.emplace_back(part);
    exchange_part();
  };
  compare("base", [&] { std::swap(one.base, other.base); });
  compare("axes", [&] { std::swap(one.axes, other.axes); });
  compare("condition (where)", [&] {
    std::swap(one.where, other.where);
    std::swap(one.where_text, other.where_text);
  });
  compare("kept quantities (keep)", [&] { std::swap(one.keep, other.keep); });
  compare("columns", [&] { std::swap(one.formulas, other.formulas); });
  return parts;
}

/// Returns why a directory with `found` as its sweep.json does not belong to the sweep of `wanted`, and what the user
/// can do.
std::string why_not_claimed(const std::string& found, const std::string& wanted) {
  Sweep sweep = parse_sweep(wanted, "sweep.json", quantity_names());
  const std::string name = sweep.name;
  std::vector<std::string> parts;
  try {
    Sweep there = parse_sweep(found, "sweep.json", quantity_names());
    sweep.name = there.name;
    parts = different_parts(sweep, there);
  } catch (const InputErrors&) { // damaged: no parts
  }
  const std::string text = self_contained_json(sweep);
  if (found == text)
    return fmt::format(
        "holds the same sweep under another name: its name is {0}, not {1}; write \"name\": \"{0}\" into "
        "the file, or give another directory",
        sweep.name, name);
  const std::string difference = first_difference(found, text);
  if (parts.empty()) return fmt::format("has a damaged sweep.json: {}; give another directory", difference);
  const std::string keep_name =
      sweep.name == name ? "" : fmt::format(" (its name differs as well; \"name\": \"{}\" keeps it)", sweep.name);
  return fmt::format("holds another sweep with other {}: {}{}; give another directory", fmt::join(parts, ", "),
                     difference, keep_name);
}

void claim(const fs::path& directory, const Sweep& sweep) {
  const auto text = self_contained_json(sweep);
  const auto file = directory / "sweep.json";
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) throw OutputError(fmt::format("cannot write {}: {}", directory.string(), error.message()));
  if (!fs::exists(file, error)) {
    try {
      OutputFile out(file);
      out.write(text);
      out.commit();
    } catch (const OutputError&) {
      if (!fs::exists(file, error)) throw; // else another shard was faster
    }
  }
  const auto found = read_file(file.string());
  if (!found.error.empty()) throw OutputError(fmt::format("{}: {}", file.string(), found.error));
  if (found.text == text) return;
  throw OutputError(fmt::format("{} {}", directory.string(), why_not_claimed(found.text, text)));
}

WorkLimits limits_of(const Sweep& sweep, const std::string& wall, const std::string& memory) {
  WorkLimits limits;
  if (sweep.limits.wall) limits.wall_s = sweep.limits.wall->value();
  if (sweep.limits.memory) limits.memory_bytes = static_cast<std::uint64_t>(sweep.limits.memory->value());
  const auto read = [](const char* option, const std::string& text, Dimension dimension) {
    try {
      return parse_quantity(text, dimension);
    } catch (const UnitError& error) {
      throw std::invalid_argument(fmt::format("{} {}: {}", option, text, error.what()));
    }
  };
  if (!wall.empty()) limits.wall_s = read("--wall", wall, Dimension::time);
  if (!memory.empty()) limits.memory_bytes = static_cast<std::uint64_t>(read("--memory", memory, Dimension::bytes));
  return limits;
}

std::int64_t SweepTally::not_ok() const {
  const auto ok = with.find(PointStatus::ok);
  return done - (ok == with.end() ? 0 : ok->second);
}

SweepTally run_sweep(const Sweep& sweep, const std::vector<std::int64_t>& combinations, const SweepRunOptions& options,
                     const std::function<void(const SweepTally&)>& progress) {
  return SweepRun(sweep, combinations, options).run(progress);
}

} // namespace gradflight
