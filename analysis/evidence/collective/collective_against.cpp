#include "analysis/evidence/collective/collective_against.hpp"

#include "analysis/evidence/collective/collective_bounds.hpp"
#include "analysis/evidence/measured/left_out.hpp"
#include "base/human.hpp"
#include "base/letters.hpp"
#include "base/nearest_name.hpp"
#include "models/collectives/element_type.hpp"
#include "platforms/code/spec/spec.hpp"
#include "scenarios/language/json/diagnostics.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace gradflight {

namespace {

double bytes_of(const MeasuredTable& measured, const MeasuredRow& row, int ranks) {
  return measured.size_of_a_rank ? row.size_bytes * ranks : row.size_bytes;
}

std::string available_tables(const std::vector<MeasuredTable>& tables, bool with_nodes, bool with_types) {
  std::set<std::string> there;
  const auto type_of = [&](const MeasuredTable& table) {
    return with_types && !table.type.empty() ? " of " + table.type : std::string();
  };
  for (const MeasuredTable& table : tables)
    if (table.benchmark != Benchmark::collective)
      there.insert("point to point");
    else if (table.ranks == 0)
      there.insert(std::string(operation_name(table.op)) +
                   (table.most_ranks > 0
                        ? fmt::format(" among {} to {} ranks (busbw / algbw)", table.least_ranks, table.most_ranks)
                        : "") +
                   type_of(table));
    else
      there.insert(fmt::format("{} among {} ranks{}{}{}", operation_name(table.op), table.ranks,
                               table.nodes > 0 && with_nodes ? fmt::format(" on {}", counted(table.nodes, "node")) : "",
                               table.ranks_from.empty() ? "" : fmt::format(" ({})", table.ranks_from), type_of(table)));
  return fmt::format("{}", fmt::join(there, ", "));
}

/// Returns the end of a sentence about several tables of one operation among the same ranks: how to choose one.
std::string difference_of(const std::vector<const MeasuredTable*>& tables) {
  std::set<std::string> columns;
  for (const auto& [name, value] : tables.front()->labels)
    if (std::ranges::any_of(tables, [&, &name = name, &value = value](const auto* table) {
          const std::string* other = table->label(name);
          return other == nullptr || *other != value;
        }))
      columns.insert('"' + name + '"');
  if (columns.empty()) return ", and nothing distinguishes them: put one of them into a file of its own";
  return fmt::format(", which differ in column {}: keep the rows of one value", fmt::join(columns, ", "));
}

/// Returns the error of a range without measured sizes; `sizes` are all that were measured.
std::string no_size_text(const std::vector<double>& sizes, const WantedSizes& wanted) {
  const auto text = [](double bytes) { return size_text(std::llround(bytes)); };
  const auto [least, most] = std::ranges::minmax(sizes);
  const std::string range = !std::isfinite(wanted.end) ? fmt::format("from {} on", text(wanted.begin))
                            : wanted.begin > 0 ? fmt::format("from {} to {}", text(wanted.begin), text(wanted.end))
                                               : fmt::format("up to {}", text(wanted.end));
  return fmt::format("the log has no size {}; {}", range,
                     least == most ? "its only size is " + text(least)
                                   : fmt::format("its sizes are {} to {}", text(least), text(most)));
}

} // namespace

MeasuredTable measured_table(const std::vector<MeasuredTable>& tables, const std::string& path,
                             const WantedTable& wanted) {
  const auto agrees = [](int said, int asked) { return said == 0 || said == asked; };
  const auto fits = [&](const MeasuredTable& table) {
    return table.op == wanted.op && table.benchmark == Benchmark::collective && agrees(table.ranks, wanted.ranks) &&
           (table.ranks > 0 || table.most_ranks == 0 ||
            (wanted.ranks >= table.least_ranks && wanted.ranks <= table.most_ranks));
  };
  std::vector<const MeasuredTable*> fit;
  bool other_nodes = false;
  for (const MeasuredTable& table : tables) {
    if (!fits(table) || (!wanted.run.empty() && table.called() != wanted.run)) continue;
    if (agrees(table.nodes, wanted.nodes))
      fit.push_back(&table);
    else
      other_nodes = true;
  }
  if (fit.size() > 1 && !wanted.type.empty())
    std::erase_if(fit, [&](const auto* table) { return !same_element_type(table->type, wanted.type); });
  if (fit.size() == 1) return *fit.front();
  const std::string name =
      fmt::format("{} among {} ranks on {}{}{}", operation_name(wanted.op), wanted.ranks, counted(wanted.nodes, "node"),
                  wanted.run.empty() ? "" : fmt::format(" of run \"{}\"", wanted.run),
                  fit.empty() && !wanted.type.empty() ? fmt::format(" of {}", wanted.type) : "");
  std::string text;
  std::vector<std::string> others; // if only the name of the run is wrong
  for (const MeasuredTable& table : tables)
    if (fits(table) && agrees(table.nodes, wanted.nodes) && !table.called().empty() &&
        std::ranges::find(others, table.called()) == others.end())
      others.push_back(table.called());
  if (fit.empty() && !wanted.run.empty() && !others.empty()) {
    const std::string same = same_name(wanted.run, others);
    text = fmt::format("--run {}: the log has no such run{}", wanted.run,
                       hint_text(same.empty() ? nearest_name(wanted.run, others) : same, others));
  } else if (fit.empty()) {
    text = fmt::format("the log has no table of {}; its tables are {}", name,
                       available_tables(tables, other_nodes, !wanted.type.empty()));
  } else {
    std::set<std::string> runs, types;
    for (const MeasuredTable* table : fit) {
      runs.insert('"' + table->called() + '"');
      types.insert(table->type.empty() ? "(not said)" : table->type);
    }
    text = runs.size() > 1 ? fmt::format("the log has {} tables of {}: choose one with --run. Allowed: {}", fit.size(),
                                         name, fmt::join(runs, ", "))
           : types.size() > 1 ? fmt::format("the log has {} tables of {}: choose one with --type. Allowed: {}",
                                            fit.size(), name, fmt::join(types, ", "))
                              : fmt::format("the log has {} tables of {}{}", fit.size(), name, difference_of(fit));
  }
  throw InputErrors({{path, 0, 0, "", text}});
}

std::optional<Diagnostic> other_gpu(const MeasuredTable& measured, const PlatformSpec& platform) {
  const std::string said = common_spelling(measured.gpu), own = platform.node ? platform.node->gpu.name : "";
  std::string named; // the longest known name in it: a GH200 is no H200
  bool known = false;
  for (const GpuType& type : gpu_types()) {
    known = known || type.name == own;
    if (type.name.size() > named.size() && said.find(common_spelling(type.name)) != std::string::npos)
      named = type.name;
  }
  if (!known || named.empty() || named == own) return std::nullopt;
  return Diagnostic{measured.file, measured.line, 1, "",
                    fmt::format("the log was measured on {}, but the platform has {}", measured.gpu, own)};
}

std::vector<double> sizes_of(const MeasuredTable& measured, const WantedSizes& wanted, std::vector<Diagnostic>& notes) {
  std::vector<double> all, sizes;
  measured::LeftOut left_out(measured.file);
  const int smallest = wanted.element_size * (counts_blocks(measured.op) ? wanted.ranks : 1);
  for (const MeasuredRow& row : measured.rows) {
    const double bytes = all.emplace_back(bytes_of(measured, row, wanted.ranks));
    if (bytes < wanted.begin || bytes > wanted.end) continue;
    if (counted_elements(measured.op, bytes, wanted.element_size, wanted.ranks) > 0)
      sizes.push_back(bytes);
    else
      left_out.add("small", row.line, 1, [&] {
        return fmt::format("size {} is below {}, the smallest for {} with elements of {} bytes among {} ranks: the row "
                           "is left out",
                           size_text(std::llround(bytes)), size_text(smallest), operation_name(measured.op),
                           wanted.element_size, wanted.ranks);
      });
  }
  const auto left = left_out.diagnostics();
  if (sizes.empty() && !left.empty()) throw InputErrors(left);
  if (sizes.empty()) throw InputErrors({{measured.file, 0, 0, "", no_size_text(all, wanted)}});
  notes.insert(notes.end(), left.begin(), left.end());
  std::ranges::sort(sizes);
  return sizes;
}

void add_measured(const MeasuredTable& measured, int ranks, CollectiveRow& row) {
  // A row has whole elements, so its size may differ from the log's size by less than an element per rank.
  const auto near = [&](const MeasuredRow& r) {
    const double over = bytes_of(measured, r, ranks) - static_cast<double>(row.size_bytes);
    return over >= 0 && over < 8.0 * ranks;
  };
  const auto found = std::ranges::find_if(measured.rows, near);
  if (found != measured.rows.end()) row.measured_us = found->time_us;
}

} // namespace gradflight
