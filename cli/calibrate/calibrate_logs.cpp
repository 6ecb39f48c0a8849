// `calibrate LOG... --platform`: fits latency and rate of a network to tables of nccl-tests and OSU. It can also fit to
// a pack of measured tables, and write the result into the pack.
#include "analysis/evidence/calibration/calibration_text.hpp"
#include "analysis/evidence/network_fit/network_fit_text.hpp"
#include "analysis/evidence/network_fit/pack_network_fit.hpp"
#include "analysis/run/files/output_file.hpp"
#include "analysis/run/runner.hpp"
#include "base/nearest_name.hpp"
#include "cli/calibrate/calibrate.hpp"
#include "cli/terminal/console.hpp"
#include "cli/terminal/exit_codes.hpp"
#include "cli/terminal/notes.hpp"
#include "models/collectives/element_type.hpp"
#include "models/collectives/operation_spelling.hpp"
#include "scenarios/language/decode/machines.hpp"
#include "scenarios/language/json/diagnostics.hpp"
#include "scenarios/language/json/json_reader.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <memory>

namespace gradflight::cli {

namespace {

/// Returns the operation of --op.
std::optional<Operation> operation_option(const std::string& name, std::vector<Diagnostic>& found) {
  if (name.empty()) return std::nullopt;
  if (const auto op = sized_operation(name)) return op;
  found.push_back({"--op " + name, 0, 0, "", "unknown operation" + did_you_mean(name, sized_operations())});
  return std::nullopt;
}

TimedLogs logs_of(const CalibrateOptions& options, std::vector<Diagnostic>& found) {
  TimedLogs logs;
  logs.op = operation_option(options.op, found);
  for (const auto& file : options.files) logs.files.push_back(file.string());
  logs.ranks = options.ranks;
  logs.nodes = options.nodes;
  logs.type = options.type;
  logs.are_all = options.predict.empty();
  for (const std::string& where : options.where) {
    const auto equals = where.find('=');
    if (equals == std::string::npos || equals == 0)
      found.push_back({"--where", 0, 0, "", fmt::format("\"{}\" should be COLUMN=VALUE", where)});
    else
      logs.where.emplace_back(where.substr(0, equals), where.substr(equals + 1));
  }
  for (const std::string& file : options.predict)
    if (std::ranges::find(logs.files, file) != logs.files.end())
      found.push_back({file, 0, 0, "", "the fit uses this log, so it cannot also be predicted"});
  return logs;
}

/// Returns the element size of the first table that contains one, because all tables are simulated with one element
/// size.
int logged_element_size(const std::vector<TimedTable>& tables) {
  for (const TimedTable& table : tables)
    if (const auto type = element_type_named(table.type); type && !table.point_to_point()) return type->bytes;
  return 4;
}

template <class Read> void collect(std::vector<Diagnostic>& found, Read read) {
  try {
    read();
  } catch (const InputErrors& errors) {
    for (const Diagnostic& each : errors.diagnostics())
      if (std::ranges::find(found, each) == found.end()) found.push_back(each);
  }
}

/// Returns the tables for the fit, then those of --predict; all of them can be simulated. Throws InputErrors with the
/// mistakes of all logs.
std::vector<SimulableTable> read_logs(const CalibrateOptions& options, TimedSetting& setting, std::size_t& fittable) {
  std::vector<Diagnostic> found;
  TimedLogs logs = logs_of(options, found);
  if (const auto type = element_type_named(options.type))
    setting.element_size = type->bytes;
  else if (!options.type.empty())
    found.push_back({"gradflight calibrate", 0, 0, "", unknown_type(options.type)});
  std::vector<SimulableTable> tables, predicted;
  bool platform = false;
  collect(found, [&] {
    const PlatformSpec spec = platform_of(setting, {});
    // A machine of the catalogue has any number of nodes.
    if (names_file(setting.platform)) logs.platform_nodes = spec.nodes;
    platform = true;
  });
  const auto read = [&](std::vector<SimulableTable>& into) {
    std::vector<Diagnostic> notes;
    collect(found, [&] {
      auto timed = read_timed_tables(logs, &notes);
      if (options.type.empty() && &into == &tables) setting.element_size = logged_element_size(timed);
      if (platform) into = simulable_tables(std::move(timed), setting);
    });
    print_notes(notes); // notes on valid logs appear even if another log is wrong
  };
  read(tables);
  logs.files = options.predict;
  if (!logs.files.empty()) read(predicted);
  if (!found.empty()) throw InputErrors(std::move(found));
  fittable = tables.size();
  std::ranges::move(predicted, std::back_inserter(tables));
  return tables;
}

/// Prints the result; `keep` writes it to a file if requested.
template <class Keep>
int fit_and_print(const CalibrateOptions& options, const std::vector<SimulableTable>& tables,
                  const std::vector<std::size_t>& fitted, const TimedSetting& setting, Keep keep) {
  try {
    const NetworkFit fit = fit_network(tables, fitted, setting, options.jobs > 0 ? options.jobs : usable_cores());
    keep(fit);
    print_result(options.json ? network_fit_json(fit, setting, tables) : network_fit_text(fit, setting));
    if (!fit.converged) print_message(fmt::format("not converged after {} evaluations\n", fit.evaluations));
  } catch (const NothingDetermined& why) {
    print_message(fmt::format("gradflight calibrate: {}\n", why.what()));
    return bad_input;
  }
  return done;
}

/// Returns the operation of --fit-to, else the one of --op if a table has it. An empty string lets the fit choose.
std::string operation_to_fit(const CalibrateOptions& options, const std::vector<SimulableTable>& tables,
                             std::size_t fittable) {
  const std::string& name = options.fit_to.empty() ? options.op : options.fit_to.front();
  if (!options.fit_to.empty() && name == point_to_point_name) return name;
  const auto op = operation_of(name);
  if (!op) return options.fit_to.empty() ? "" : name;
  const auto has = [&](const SimulableTable& table) { return !table.timed.point_to_point() && table.timed.op == *op; };
  const bool there = std::any_of(tables.begin(), tables.begin() + static_cast<std::ptrdiff_t>(fittable), has);
  return there || !options.fit_to.empty() ? std::string(operation_name(*op)) : "";
}

} // namespace

int calibrate_logs(const CalibrateOptions& options) {
  TimedSetting setting;
  setting.platform = options.platform;
  setting.sets = options.sets;
  setting.algorithm = options.algorithm;
  std::size_t fittable = 0;
  const std::vector<SimulableTable> tables = read_logs(options, setting, fittable);
  const auto fitted = tables_to_fit(tables, fittable, operation_to_fit(options, tables, fittable));
  std::unique_ptr<OutputFile> out;
  if (!options.out.empty()) {
    require_replaceable(options.out, calibrated_opening, "a platform of gradflight calibrate");
    out = std::make_unique<OutputFile>(options.out);
  }
  return fit_and_print(options, tables, fitted, setting, [&](const NetworkFit& fit) {
    if (!out) return;
    out->write(fitted_platform(fit, setting, tables));
    out->commit();
  });
}

int calibrate_measured_pack(const CalibrateOptions& options) {
  const std::string path = options.files.front().string();
  if (options.transfer || options.random_sets > 0)
    throw InputErrors({{path, 0, 0, "", "a pack of measured tables has no transfers and no sets of figures"}});
  const PackNetworkFit pack = load_pack_fit(path);
  const FileText before = read_file(path);
  // Opened before the fit, so that a file that cannot be written does not waste the fit.
  std::unique_ptr<OutputFile> out;
  if (options.write) out = std::make_unique<OutputFile>(path);
  return fit_and_print(options, pack.tables, pack.fitted, pack.setting, [&](const NetworkFit& fit) {
    if (!out) return;
    if (read_file(path).text != before.text)
      throw ResultLost(fmt::format("{} changed during the fit, so nothing is written; run again", path));
    out->write(with_network_fit(before.text, fit));
    out->commit();
    print_message(fmt::format("{} written\n", path));
  });
}

} // namespace gradflight::cli
