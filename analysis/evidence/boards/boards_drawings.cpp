// Drawings of the measured boards.
#include "analysis/evidence/boards/boards_plots.hpp"
#include "analysis/evidence/boards/boards_text.hpp"
#include "analysis/run/pages/plot.hpp"
#include "base/human.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace gradflight {

namespace {

using Json = nlohmann::ordered_json;

/// Groups rows by the value of a field, in the order of the first rows.
std::vector<std::pair<std::string, std::vector<const Json*>>> grouped(const Json& rows, const char* field) {
  std::vector<std::pair<std::string, std::vector<const Json*>>> groups;
  std::map<std::string, std::size_t> found;
  for (const Json& row : rows) {
    const auto name = row[field].get<std::string>();
    const auto [at, fresh] = found.emplace(name, groups.size());
    if (fresh) groups.push_back({name, {}});
    groups[at->second].second.push_back(&row);
  }
  return groups;
}

std::vector<PlotPoint> points_of(const std::vector<const Json*>& rows, const char* x, const char* y) {
  std::vector<PlotPoint> points;
  for (const Json* row : rows)
    if (!(*row)[y].is_null() && (*row)[y].get<double>() > 0)
      points.push_back({(*row)[x].get<double>(), (*row)[y].get<double>(), {}});
  std::ranges::stable_sort(points, {}, &PlotPoint::x);
  return points;
}

} // namespace

Plot ratio_plot(const Json& rows, const char* color) {
  Plot plot;
  plot.x = {"size of the vector", PlotUnit::bytes, true};
  plot.y = {"simulated / measured", PlotUnit::number, true};
  plot.y.low = 0.1;
  plot.y.high = 10;
  plot.levels = {{1, ""}};
  plot.band = 0.2;
  int number = 0;
  for (const auto& [name, members] : grouped(rows, color)) {
    PlotSeries series{name, series_ink(number), number};
    ++number;
    for (const Json* row : members)
      series.at.push_back({(*row)["size"].get<double>(), (*row)["ratio"].get<double>(),
                           fmt::format("{}, {}: {} measured, {} simulated", (*row)["table"].get<std::string>(),
                                       human_bytes((*row)["size"].get<double>()),
                                       human_seconds((*row)["measured_us"].get<double>() * 1e-6),
                                       human_seconds((*row)["simulated_us"].get<double>() * 1e-6))});
    plot.series.push_back(std::move(series));
  }
  return plot;
}

std::vector<TitledPlot> bandwidth_plots(const Json& rows) {
  std::vector<TitledPlot> plots;
  auto groups = grouped(rows, "table");
  std::ranges::stable_sort(groups, {},
                           [](const auto& g) { return (*g.second.front())["order"].template get<double>(); });
  for (const auto& group : groups) {
    const auto& members = group.second;
    TitledPlot one{group.first, {}};
    one.plot.height = 150;
    one.plot.x = {"size of the vector", PlotUnit::bytes, true};
    one.plot.y = {"bus bandwidth (GB/s)", PlotUnit::number, true};
    const auto line = [&](const char* shown, Ink ink, const char* field) {
      one.plot.series.push_back(
          {shown, ink, 0, false, true, ink != Ink::series0, false, points_of(members, "size", field)});
    };
    line(yardstick_name(Yardstick::line_ring), Ink::series7, "ring");
    line(yardstick_name(Yardstick::own_formula), Ink::series6, "own");
    line("simulated", Ink::series0, "simulated");
    auto measured = points_of(members, "size", "measured");
    for (const Json* row : members)
      for (auto& point : measured)
        if (point.x == (*row)["size"].get<double>())
          point.title = fmt::format("{}: {:.4g} GB/s measured ({:.4g} to {:.4g}); simulated {}", human_bytes(point.x),
                                    point.y, (*row)["lower"].get<double>(), (*row)["upper"].get<double>(),
                                    (*row)["chosen"].get<std::string>());
    one.plot.series.push_back({"measured", Ink::text, 0, true, false, false, false, std::move(measured)});
    plots.push_back(std::move(one));
  }
  return plots;
}

std::vector<TitledPlot> contention_plots(const BoardPack& pack) {
  std::map<int, TitledPlot> plots; // by number of nodes
  for (const BoardTable& table : pack.tables)
    for (const BoardCase& one : table.cases) {
      if (table.kind != CaseKind::contention || !one.simulated) continue;
      const auto [at, fresh] = plots.try_emplace(one.ranks, TitledPlot{fmt::format("{} nodes", one.ranks), {}});
      Plot& plot = at->second.plot;
      if (fresh) {
        plot.height = 170;
        plot.x = {"jobs at once"};
        plot.x.counts = true;
        plot.y = {"time", PlotUnit::seconds};
        plot.y.from_zero = true;
        plot.series = {{yardstick_name(Yardstick::line_ring), Ink::series7, 0, false, true, true},
                       {"simulated", Ink::series0, 0, false, true},
                       {"measured", Ink::text, 0, true, false}};
      }
      const auto& ring = one.yardsticks[static_cast<std::size_t>(Yardstick::line_ring)];
      const double jobs = one.jobs;
      if (ring) plot.series[0].at.push_back({jobs, *ring, {}});
      plot.series[1].at.push_back({jobs, *one.simulated, {}});
      plot.series[2].at.push_back({jobs, one.measured,
                                   fmt::format("{} jobs on {} nodes: {} measured, {} simulated", one.jobs, one.ranks,
                                               human_seconds(one.measured), human_seconds(*one.simulated))});
    }
  std::vector<TitledPlot> shown;
  for (auto& [nodes, plot] : plots) shown.push_back(std::move(plot));
  return shown;
}

std::vector<TitledPlot> training_plots(const Json& rows) {
  std::vector<TitledPlot> plots;
  for (const auto& [name, members] : grouped(rows, "job")) {
    TitledPlot one{name, {}};
    one.plot.height = 150;
    one.plot.x = {"GPUs", PlotUnit::number, true, true};
    one.plot.y = {"throughput per GPU, relative", PlotUnit::number};
    one.plot.y.least_span = 0.1;
    one.plot.series = {
        {"simulated", Ink::series0, 0, false, true, false, false, points_of(members, "gpus", "simulated")},
        {"measured", Ink::text, 0, true, false, false, false, points_of(members, "gpus", "measured")}};
    plots.push_back(std::move(one));
  }
  return plots;
}

} // namespace gradflight
