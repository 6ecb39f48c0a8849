#include "cli/collective.hpp"

#include "analysis/collective/collective_table.hpp"
#include "analysis/collective/collective_text.hpp"
#include "cli/terminal/console.hpp"
#include "cli/terminal/exit_codes.hpp"
#include "models/nearest_name.hpp"
#include "models/units/unit_text.hpp"
#include "scenarios/language/json/diagnostics.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace gradflight::cli {
namespace {

/// Mistakes of the command line, told all at once.
class Mistakes {
public:
  void add(std::string text) { found_.push_back({"", 0, 0, "", std::move(text)}); }
  void throw_any() {
    if (!found_.empty()) throw InputErrors(std::move(found_));
  }

private:
  std::vector<Diagnostic> found_;
};

double size_of(const std::string& text, const char* option, Mistakes& mistakes) {
  constexpr double most = 1e15;
  std::int64_t whole = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
  double bytes = static_cast<double>(whole);
  if (error != std::errc() || end != text.data() + text.size()) {
    try {
      bytes = parse_quantity(text, Dimension::bytes);
    } catch (const UnitError& wrong) {
      mistakes.add(fmt::format("{}: {}", option, wrong.what()));
      return 1;
    }
  }
  if (!(bytes >= 1 && bytes <= most)) mistakes.add(fmt::format("{} {}: must be from 1 B to 1000 TB", option, text));
  return bytes;
}

std::vector<Operation> operations_of(const std::vector<std::string>& names, Mistakes& mistakes) {
  std::vector<Operation> ops;
  std::vector<std::string> known;
  for (const auto name : operation_names)
    if (name != operation_name(Operation::barrier)) known.emplace_back(name);
  for (const std::string& name : names) {
    const auto op = operation_named(name);
    if (!op || *op == Operation::barrier) {
      const std::string near = nearest_name(name, known);
      mistakes.add(fmt::format("{}: there is no such operation{}. Known: {}", name,
                               near.empty() ? "" : fmt::format("; did you mean {}?", near), fmt::join(known, ", ")));
    } else if (std::ranges::find(ops, *op) != ops.end()) {
      mistakes.add(fmt::format("{} is there twice", name));
    } else {
      ops.push_back(*op);
    }
  }
  return ops;
}

std::optional<int> said(int value) { return value > 0 ? std::optional(value) : std::nullopt; }

CollectiveRequest request_of(const CollectiveOptions& options) {
  Mistakes mistakes;
  CollectiveRequest request = options.request;
  request.ops = operations_of(options.ops, mistakes);
  request.begin = size_of(options.begin, "--begin", mistakes);
  request.end = size_of(options.end, "--end", mistakes);
  if (request.begin > request.end)
    mistakes.add(fmt::format("--begin {} lies beyond --end {}", options.begin, options.end));
  request.element_size = options.type == "double" ? 8 : options.type == "half" ? 2 : 4;
  request.ranks = said(options.ranks);
  request.nodes = said(options.nodes);
  request.gpus_per_node = said(options.gpus_per_node);
  mistakes.throw_any();
  return request;
}

} // namespace

int collective(const CollectiveOptions& options) {
  const CollectiveRequest request = request_of(options);
  const CollectiveGroup group = make_group(request);
  check_request(request, group);
  const bool lines = !options.json && !options.csv;
  std::vector<CollectiveTable> tables;
  for (const Operation op : request.ops) {
    CollectiveTable head{op, group.name, group.ranks(), group.nodes, request.element_size, {}};
    if (lines) print_result((tables.empty() ? "" : "\n") + collective_header(head, false));
    tables.push_back(collective_table(request, op, group, [&](const CollectiveRow& row) {
      if (!lines) return;
      print_result(collective_line(head, row, false));
      flush_result();
    }));
  }
  if (options.json) print_result(collective_json(tables));
  if (options.csv) print_result(collective_csv(tables));
  return done;
}

} // namespace gradflight::cli
