// Selects the tables for a fit.
#include "analysis/evidence/network_fit/network_fit.hpp"
#include "scenarios/language/json/diagnostics.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <set>

namespace gradflight {

namespace {

std::string fit_name(const TimedTable& table) {
  return table.point_to_point() ? point_to_point_name : std::string(operation_name(table.op));
}

/// Returns why tables of one operation cannot all be used in a fit, and which options select one of them.
std::string different_settings(const std::vector<SimulableTable>& tables, const std::vector<std::size_t>& fitted) {
  std::set<std::string> choices;
  for (const std::size_t i : fitted) {
    const TimedTable& table = tables[i].timed;
    if (!table.algorithm.empty()) choices.insert("--where algorithm=" + table.algorithm);
    if (!table.protocol.empty()) choices.insert("--where protocol=" + table.protocol);
  }
  return fmt::format("{} tables of {} differ in algorithm or protocol, but a fit takes one{}", fitted.size(),
                     tables[fitted.front()].timed.name(),
                     choices.empty() ? std::string("; put the others into a log of their own for --predict")
                                     : fmt::format("; choose it with {}", fmt::join(choices, " or ")));
}

/// The order depends on how often each operation describes machines, and how little else it includes.
std::string first_choice(const std::vector<SimulableTable>& tables, std::size_t fittable) {
  std::set<std::string> there;
  for (const int most : {2, std::numeric_limits<int>::max()})
    if (there.empty())
      for (std::size_t i = 0; i < fittable; ++i)
        if (tables[i].timed.nodes <= most) there.insert(fit_name(tables[i].timed));
  for (const char* name : {point_to_point_name, "sendrecv", "all_reduce"})
    if (there.contains(name)) return name;
  return there.empty() ? fit_name(tables.front().timed) : *there.begin();
}

} // namespace

std::vector<std::size_t> tables_to_fit(const std::vector<SimulableTable>& tables, std::size_t fittable,
                                       const std::string& fit_to) {
  const std::string wanted = fit_to.empty() ? first_choice(tables, fittable) : fit_to;
  std::vector<std::size_t> named, fitted;
  std::set<std::string> there;
  for (std::size_t i = 0; i < fittable; ++i) {
    there.insert(fit_name(tables[i].timed));
    if (fit_name(tables[i].timed) == wanted) named.push_back(i);
  }
  const auto refuse_fit = [&](std::string why) {
    throw InputErrors({{tables.front().timed.file, 0, 0, "", std::move(why)}});
  };
  if (named.empty())
    refuse_fit(fmt::format("the logs have no table of {} to fit to; they have {}", wanted, fmt::join(there, ", ")));
  // Prefer two nodes to one, one to three, three to four.
  const auto size = [&](std::size_t i) {
    const int nodes = tables[i].timed.nodes;
    return std::pair(nodes <= 2 ? nodes : -nodes, tables[i].timed.ranks);
  };
  const auto most = size(*std::ranges::max_element(named, {}, size));
  for (const std::size_t i : named)
    if (size(i) == most) fitted.push_back(i);
  if (wanted != point_to_point_name && fitted.size() > 1) refuse_fit(different_settings(tables, fitted));
  return fitted;
}

} // namespace gradflight
