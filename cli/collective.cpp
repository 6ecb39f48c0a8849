#include "cli/collective.hpp"

#include "analysis/evidence/collective/collective_against.hpp"
#include "analysis/evidence/collective/collective_output.hpp"
#include "analysis/evidence/collective/collective_seeds.hpp"
#include "analysis/evidence/measured/read_measured.hpp"
#include "analysis/run/text/describe.hpp"
#include "base/nearest_name.hpp"
#include "base/visible.hpp"
#include "cli/terminal/console.hpp"
#include "cli/terminal/exit_codes.hpp"
#include "cli/terminal/mistakes.hpp"
#include "cli/terminal/notes.hpp"
#include "cli/terminal/page_file.hpp"
#include "models/collectives/element_type.hpp"
#include "models/collectives/operation_spelling.hpp"
#include "models/units/benchmark_size.hpp"
#include "models/units/unit_text.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <string_view>

namespace gradflight::cli {
namespace {

std::optional<double> size_of(const std::string& text, const char* option, std::vector<std::string>& mistakes) {
  constexpr double most = 1e15;
  double bytes = 0;
  try {
    bytes = parse_quantity(with_byte_unit(text), Dimension::bytes);
  } catch (const UnitError& wrong) {
    mistakes.push_back(fmt::format("{}: {}", option, wrong.what()));
    return std::nullopt;
  }
  if (bytes >= 1 && bytes <= most) return bytes;
  mistakes.push_back(fmt::format("{} {}: the size is out of range; expected 1 B to 1000 TB", option, text));
  return std::nullopt;
}

std::vector<Operation> operations_of(const std::vector<std::string>& names, std::vector<std::string>& mistakes) {
  std::vector<Operation> ops;
  for (const std::string& name : names) {
    const auto op = sized_operation(name);
    if (!op) {
      mistakes.push_back(fmt::format("unknown operation \"{}\"{}", name, did_you_mean(name, sized_operations())));
    } else if (std::ranges::find(ops, *op) != ops.end()) {
      mistakes.push_back(fmt::format("{} is given twice", name));
    } else {
      ops.push_back(*op);
    }
  }
  return ops;
}

/// Returns the tables of the log; prints notes on the skipped parts to standard error.
std::vector<MeasuredTable> read_log(const CollectiveOptions& options, const CollectiveRequest& request) {
  if (options.against.empty()) return {};
  AboutLog about;
  if (request.ops.size() == 1) about.otherwise = request.ops.front();
  std::vector<Diagnostic> notes;
  auto tables = read_measured(options.against, about, &notes);
  print_notes(notes);
  return tables;
}

/// Uses the elements of the logs. A --type with another element size is a mistake.
void take_type(const std::vector<MeasuredTable>& beside, const CollectiveOptions& options, CollectiveRequest& request) {
  for (const MeasuredTable& table : beside) {
    const auto type = element_type_named(table.type);
    if (!type) continue;
    if (!options.type.empty() && !same_element_type(table.type, options.type))
      throw InputErrors({{options.against, table.line, 1, "",
                          fmt::format("the table has elements of {} ({} bytes), but --type {} ({} bytes) is requested",
                                      table.type, type->bytes, options.type, request.element_size)}});
    if (!options.type.empty()) continue;
    request.type = type->name;
    request.element_size = type->bytes;
  }
}

/// Returns the sizes of each measured table; prints notes on those that are left out.
std::vector<std::vector<double>> measured_sizes(const std::vector<MeasuredTable>& beside,
                                                const CollectiveOptions& options, const CollectiveRequest& request,
                                                int ranks, const PlatformSpec& platform) {
  WantedSizes wanted{ranks, request.element_size};
  if (!options.begin.empty()) wanted.begin = request.begin;
  if (!options.end.empty()) wanted.end = request.end;
  std::vector<std::vector<double>> sizes;
  std::vector<Diagnostic> notes;
  for (const MeasuredTable& table : beside) {
    sizes.push_back(sizes_of(table, wanted, notes));
    if (auto note = other_gpu(table, platform)) notes.push_back(std::move(*note));
  }
  print_notes(notes);
  return sizes;
}

std::optional<int> said(int value) { return value > 0 ? std::optional(value) : std::nullopt; }

/// Leaves out what is wrong, and adds it to `mistakes`.
CollectiveRequest request_of(const CollectiveOptions& options, std::vector<std::string>& mistakes) {
  CollectiveRequest request = options.request;
  request.ops = operations_of(options.ops, mistakes);
  const auto begin = options.begin.empty() ? request.begin : size_of(options.begin, "--begin", mistakes);
  const auto end = options.end.empty() ? request.end : size_of(options.end, "--end", mistakes);
  request.begin = begin.value_or(request.begin);
  request.end = end.value_or(request.end);
  if (begin && end && *begin > *end)
    mistakes.push_back(
        fmt::format("--begin {0} B is above --end {1} B: give an --end of at least {0} B", request.begin, request.end));
  const std::string type = options.type.empty() ? "float" : options.type;
  if (const auto element = element_type_named(type)) {
    request.type = element->name;
    request.element_size = element->bytes;
  } else {
    mistakes.push_back(unknown_type(type));
  }
  request.ranks = said(options.ranks);
  request.nodes = said(options.nodes);
  request.gpus_per_node = said(options.gpus_per_node);
  return request;
}

struct CheckedRequest {
  CollectiveRequest request;
  std::optional<CollectiveGroup> group{};
  CollectiveSource source{};
  std::vector<MeasuredTable> beside{}; ///< of each operation; empty without --against
};

CheckedRequest checked(const CollectiveOptions& options) {
  Mistakes mistakes;
  std::vector<std::string> wrong;
  CheckedRequest checked{request_of(options, wrong)};
  CollectiveRequest& request = checked.request;
  mistakes.collect([&] { refuse(std::move(wrong)); });
  if (mistakes.collect([&] { checked.group = make_group(request); })) {
    mistakes.collect([&] { checked.source = check_request(request, *checked.group); });
    mistakes.collect([&] { require_hash(request, *checked.group); });
  } else {
    mistakes.collect([&] { require_known_algorithm(request); });
  }
  std::vector<MeasuredTable> logged;
  mistakes.collect([&] { logged = read_log(options, request); });
  if (!checked.group) mistakes.raise();
  const CollectiveGroup& group = *checked.group;
  if (!logged.empty())
    for (const Operation op : request.ops)
      mistakes.collect([&] {
        checked.beside.push_back(
            measured_table(logged, options.against, {op, group.ranks(), group.nodes, options.run, options.type}));
      });
  mistakes.collect([&] { take_type(checked.beside, options, request); });
  if (!mistakes.any() && options.against.empty()) require_sizes(request, group); // sizes that go up
  mistakes.raise();
  return checked;
}

} // namespace

int collective(const CollectiveOptions& options) {
  CheckedRequest checked_request = checked(options);
  CollectiveRequest& request = checked_request.request;
  const CollectiveGroup& group = *checked_request.group;
  const CollectiveSource& source = checked_request.source;
  const std::vector<MeasuredTable>& beside = checked_request.beside;
  PageFile page(options.report);
  const bool lines = !options.json && !options.csv, against = !beside.empty();
  const auto sizes = measured_sizes(beside, options, request, group.ranks(), group.spec);
  std::vector<CollectiveTable> tables;
  for (const Operation op : request.ops) {
    const MeasuredTable* measured = against ? &beside[tables.size()] : nullptr;
    if (against) request.sizes = sizes[tables.size()];
    tables.push_back(collective_table_over_seeds(request, op, group, source, [&](CollectiveRow& row) {
      if (against) add_measured(*measured, group.ranks(), row);
    }));
    if (!lines) continue;
    print_result((tables.size() == 1 ? "" : "\n") + collective_text(tables.back(), against));
    flush_result();
  }
  if (options.json) print_result(collective_json(tables));
  if (options.csv) print_result(collective_csv(tables));
  page.write([&] { return collective_page(tables, platform_line(group.spec), shell_line(options.command)); });
  return done;
}

} // namespace gradflight::cli
