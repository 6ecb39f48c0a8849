#include "analysis/evidence/boards/training_rows.hpp"

#include "base/input_file.hpp"
#include "base/nearest_name.hpp"
#include "base/parse_number.hpp"
#include "base/percentile.hpp"
#include "base/sheet.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <tuple>

namespace gradflight {

namespace {

/// Parses a finite number above 0.
std::optional<double> above_zero(const std::string& text) {
  const auto value = parse_number<double>(text);
  return value && std::isfinite(*value) && *value > 0 ? value : std::nullopt;
}

/// Measurements of one job by scale (ranks and concurrent jobs), as speeds: work per second of all its GPUs.
using Scales = std::map<std::pair<int, int>, std::vector<double>>;

BoardTable job_table(const MeasuredTraining& entry, const std::string& job, const Scales& scales) {
  const bool sharded = *entry.scheme == TrainingScheme::fsdp;
  BoardTable table;
  const bool beside = entry.beside.has_value();
  table.kind = beside ? CaseKind::contention : sharded ? CaseKind::sharded : CaseKind::training;
  table.what = training_scheme_name(*entry.scheme);
  table.job = job;
  std::tie(table.base_ranks, table.base_jobs) = scales.begin()->first;
  table.base_rows = static_cast<int>(scales.begin()->second.size());
  table.ranks = scales.rbegin()->first.first;
  const double base = percentile(scales.begin()->second, 0.5);
  if (entry.measure == TrainingMeasure::step_time || entry.measure == TrainingMeasure::step_time_us)
    table.base_step = table.base_ranks / base;
  else
    table.base_speed = base;
  for (const auto& [scale, speeds] : scales) {
    table.rows += static_cast<int>(speeds.size());
    if (scale == scales.begin()->first) continue;
    const int ranks = scale.first;
    const double perfect = static_cast<double>(ranks) / table.base_ranks;
    const auto score = [&](double speed) {
      return beside ? ranks / speed : sharded ? 1 - speed / base / perfect : speed / base;
    };
    const double middle = percentile(speeds, 0.5);
    if (score(middle) <= 0) { // faster than perfect scaling: no loss to compare with
      table.empty_rows += static_cast<int>(speeds.size());
      continue;
    }
    BoardCase& made = table.cases.emplace_back();
    std::tie(made.ranks, made.jobs) = scale;
    made.measured = score(middle);
    made.times = static_cast<int>(speeds.size());
    const auto [slowest, fastest] = std::ranges::minmax(speeds);
    made.least = std::min(score(slowest), score(fastest));
    made.most = std::max(score(slowest), score(fastest));
    if (speeds.size() > 1) {
      std::vector<double> apart;
      for (const double speed : speeds) apart.push_back(std::abs(score(speed) / made.measured - 1));
      made.noise = percentile(apart, 0.5);
    }
    if (!beside) made.yardsticks[static_cast<std::size_t>(Yardstick::perfect_scaling)] = sharded ? 0 : perfect;
  }
  return table;
}

} // namespace

/// Reads one entry, and collects its mistakes.
class TrainingRows::Entry {
public:
  Entry(const BoardPack& board, std::size_t index, Table& table, std::vector<Diagnostic>& found)
      : pack_(board.pack), index_(index), entry_(pack_.training[index]), table_(table), found_(found),
        before_(found.size()) {}

  /// Adds the entry's jobs; returns the number of its rows.
  int read(std::vector<BoardTable>& tables) {
    const auto rows = named();
    for (const SheetRow* row : rows) {
      const auto [taken, added] =
          table_.taken.try_emplace(row->line, fmt::format("entry {} of {}", index_, pack_.name.text));
      if (!added)
        fail(entry_.file, "/where",
             fmt::format("{}:{}: {} already has this row", entry_.file.text, row->line, taken->second));
    }
    if (entry_.role == MeasuredRole::scored && good()) add_jobs(rows, tables);
    return static_cast<int>(rows.size());
  }

private:
  void fail(const Node& at, const std::string& key, std::string message) { fail(at.position, key, std::move(message)); }
  void fail(Position at, const std::string& key, std::string message) {
    for (auto& each : pack_.sources.diagnostics({{at, fmt::format("/training/{}{}", index_, key), std::move(message)}}))
      found_.push_back(std::move(each));
  }
  [[nodiscard]] bool good() const { return found_.size() == before_; }

  std::size_t column(Position at, const std::string& name, const std::string& key) {
    const std::size_t found = table_.sheet.index_of(name);
    if (found == none())
      fail(at, key,
           fmt::format("{} has no column \"{}\"{}", entry_.file.text, name, did_you_mean(name, table_.sheet.names())));
    return found;
  }

  /// Returns the index of a column that the table lacks.
  [[nodiscard]] std::size_t none() const { return table_.sheet.header.fields.size(); }

  std::vector<const SheetRow*> named() {
    std::vector<const SheetRow*> rows;
    for (const SheetRow& row : table_.sheet.rows) rows.push_back(&row);
    for (const MeasuredWhere& where : entry_.where) {
      const std::string key = "/where/" + where.column;
      const std::size_t at = column(where.position, where.column, key);
      if (at == none()) continue;
      for (const auto& value : where.values)
        if (std::ranges::none_of(table_.sheet.rows, [&](const SheetRow& row) { return row.fields[at].text == value; }))
          fail(where.position, key, fmt::format("no row of {} has \"{}\" in this column", entry_.file.text, value));
      std::erase_if(rows,
                    [&](const SheetRow* row) { return std::ranges::count(where.values, row->fields[at].text) == 0; });
    }
    if (rows.empty() && good())
      fail(entry_.file, "/where", fmt::format("no row of {} meets all of these conditions", entry_.file.text));
    return rows;
  }

  void add_jobs(const std::vector<const SheetRow*>& rows, std::vector<BoardTable>& tables) {
    const std::size_t gpus = column(entry_.gpus.position, entry_.gpus.text, "/gpus");
    const std::size_t value = column(entry_.column->position, entry_.column->text, "/column");
    const std::size_t beside = entry_.beside ? column(entry_.beside->position, entry_.beside->text, "/beside") : none();
    std::vector<std::size_t> telling;
    for (std::size_t i = 0; i < entry_.jobs.size(); ++i)
      telling.push_back(column(entry_.jobs[i].position, entry_.jobs[i].text, fmt::format("/jobs/{}", i)));
    if (!good()) return;
    std::map<std::string, Scales> jobs;
    for (const SheetRow* row : rows) {
      const auto ranks = count(*row, gpus);
      const auto measured = above_zero(row->fields[value].text);
      const auto jobs_at_once = entry_.beside ? count(*row, beside) : 1;
      if (!ranks)
        fail(entry_.gpus, "/gpus", odd(*row, gpus, "a number of GPUs"));
      else if (!jobs_at_once)
        fail(*entry_.beside, "/beside", odd(*row, beside, "a number of jobs"));
      else if (!measured)
        fail(*entry_.column, "/column", odd(*row, value, "a number above 0"));
      else
        jobs[job_of(*row, telling)][{*ranks, *jobs_at_once}].push_back(speed(*measured, *ranks));
    }
    for (const auto& [job, scales] : jobs) {
      if (scales.size() < 2) {
        fail(entry_.file, "/jobs",
             fmt::format("{}{}was measured only on {} GPUs: a comparison needs at least two scales", job,
                         job.empty() ? "the job " : " ", scales.begin()->first.first));
        continue;
      }
      tables.push_back(job_table(entry_, job, scales));
      tables.back().entry = index_;
      tables.back().role = entry_.role;
    }
  }

  [[nodiscard]] double speed(double measured, double ranks) const {
    switch (entry_.measure) {
    case TrainingMeasure::throughput: return measured;
    case TrainingMeasure::throughput_per_gpu: return measured * ranks;
    case TrainingMeasure::step_time: return ranks / measured;
    case TrainingMeasure::step_time_us: return ranks / (measured * 1e-6);
    case TrainingMeasure::job_time: return *entry_.samples / measured;
    }
    return measured;
  }

  /// Parses a number of GPUs or jobs.
  static std::optional<int> count(const SheetRow& row, std::size_t at) {
    const auto number = above_zero(row.fields[at].text);
    const bool whole = number && *number == std::floor(*number) && *number <= 1e6;
    return whole ? std::optional(static_cast<int>(*number)) : std::nullopt;
  }

  static std::string job_of(const SheetRow& row, const std::vector<std::size_t>& telling) {
    std::string job;
    for (const std::size_t at : telling) job += (job.empty() ? "" : ", ") + row.fields[at].text;
    return job;
  }

  [[nodiscard]] std::string odd(const SheetRow& row, std::size_t at, const char* wanted) const {
    return fmt::format("{}:{}: \"{}\" in column {} should be {}", entry_.file.text, row.line, row.fields[at].text,
                       table_.sheet.header.fields[at].text, wanted);
  }

  const MeasuredPack& pack_;
  std::size_t index_;
  const MeasuredTraining& entry_;
  Table& table_;
  std::vector<Diagnostic>& found_;
  std::size_t before_;
};

TrainingRows::Table& TrainingRows::table(const std::string& path, std::vector<Diagnostic>& found) {
  const auto [at, added] = tables_.try_emplace(path);
  Table& table = at->second;
  if (!added) return table;
  const FileText content = read_file(path, std::numeric_limits<std::size_t>::max());
  if (content.error.empty())
    table.sheet = read_sheet(content.text);
  else
    table.sheet.mistakes.push_back({0, 0, content.error});
  auto& mistakes = table.sheet.mistakes;
  if (table.sheet.rows.empty() && mistakes.empty()) mistakes.push_back({1, 1, "the file has no rows below the header"});
  for (const SheetMistake& mistake : mistakes)
    found.push_back({path, mistake.line, mistake.column, "", mistake.message});
  return table;
}

void TrainingRows::read(BoardPack& board) {
  std::vector<Diagnostic> found;
  const auto& entries = board.pack.training;
  board.training_rows.assign(entries.size(), 0);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    Table& rows = table(board.pack.beside(entries[i].file.text), found);
    if (rows.sheet.mistakes.empty()) board.training_rows[i] = Entry(board, i, rows, found).read(board.tables);
  }
  if (!found.empty()) throw InputErrors(std::move(found));
}

} // namespace gradflight
