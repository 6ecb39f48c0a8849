#include "analysis/evidence/boards/boards_output.hpp"

#include "base/human.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace gradflight {

namespace {

/// Returns the name of a collective's table in plots.
std::string plotted_name(const BoardTable& table) {
  return table_name(table) + (table.role == MeasuredRole::fitted ? ", used by the fit" : "");
}

PlotSeries line(const char* name, Ink ink, bool dashed = false) { return {name, ink, 0, false, true, dashed}; }
PlotSeries measured_points() { return {"measured", Ink::text, 0, true, false}; }

/// Returns the plot with the title; adds `empty` if there is none.
Plot& plot_of(std::vector<TitledPlot>& plots, const std::string& title, const Plot& empty) {
  const auto found = std::ranges::find(plots, title, &TitledPlot::title);
  return found != plots.end() ? found->plot : plots.emplace_back(TitledPlot{title, empty}).plot;
}

/// Tables with the same title share a plot, so their points need sorting.
std::vector<TitledPlot> with_sorted_points(std::vector<TitledPlot> plots) {
  for (auto& one : plots)
    for (auto& series : one.plot.series) std::ranges::stable_sort(series.at, {}, &PlotPoint::x);
  return plots;
}

} // namespace

Plot ratio_plot(std::span<const BoardPack> packs, bool by_pack) {
  Plot plot;
  plot.x = {"size of the vector", PlotUnit::bytes, true};
  plot.y = {"simulated / measured", PlotUnit::number, true};
  plot.y.low = 0.1;
  plot.y.high = 10;
  plot.levels = {{1, ""}};
  plot.band = 0.2;
  for (const BoardPack& pack : packs)
    for (const BoardTable& table : pack.tables)
      for (const BoardCase& one : table.cases) {
        if (!table.is_collective() || !one.simulated) continue;
        const auto name = by_pack ? pack.pack.name.text : plotted_name(table);
        auto series = std::ranges::find(plot.series, name, &PlotSeries::name);
        if (series == plot.series.end()) {
          const int number = static_cast<int>(plot.series.size());
          series = plot.series.insert(series, {name, series_ink(number), number});
        }
        series->at.push_back(
            {one.size_bytes, 1 + *one.error(),
             fmt::format("{}, {}: {} measured, {} simulated", plotted_name(table), human_bytes(one.size_bytes),
                         human_seconds(one.measured * 1e-6), human_seconds(*one.simulated * 1e-6))});
      }
  return plot;
}

std::vector<TitledPlot> bandwidth_plots(const BoardPack& pack) {
  Plot empty;
  empty.height = 150;
  empty.x = {"size of the vector", PlotUnit::bytes, true};
  empty.y = {"bus bandwidth (GB/s)", PlotUnit::number, true};
  empty.series = {line(yardstick_name(Yardstick::line_ring), Ink::series7, true),
                  line(yardstick_name(Yardstick::own_formula), Ink::series6, true), line("simulated", Ink::series0),
                  measured_points()};
  std::vector<const BoardTable*> tables;
  for (const BoardTable& table : pack.tables)
    if (table.is_collective()) tables.push_back(&table);
  std::ranges::stable_sort(tables, {}, [](const BoardTable* table) { return std::pair(table->op, table->ranks); });
  std::vector<TitledPlot> plots;
  for (const BoardTable* table : tables)
    for (const BoardCase& one : table->cases) {
      if (!one.simulated) continue;
      auto& series = plot_of(plots, plotted_name(*table), empty).series;
      const auto bandwidth = [&](double time_us) {
        return one.size_bytes / time_us / 1e3 * bus_factor(table->op, table->ranks);
      };
      const auto add = [&](std::size_t index, const std::optional<double>& time_us, std::string title = {}) {
        if (time_us) series[index].at.push_back({one.size_bytes, bandwidth(*time_us), std::move(title)});
      };
      add(0, one.yardstick(Yardstick::line_ring));
      add(1, one.yardstick(Yardstick::own_formula));
      add(2, one.simulated);
      const auto channels = one.protocol.empty() ? "" : fmt::format(" {} channels", one.channels);
      add(3, one.measured,
          fmt::format("{}: {:.4g} GB/s measured ({:.4g} to {:.4g}); simulated {}{}", human_bytes(one.size_bytes),
                      bandwidth(one.measured), bandwidth(one.most), bandwidth(one.least), one.chosen(), channels));
    }
  return with_sorted_points(std::move(plots));
}

std::vector<TitledPlot> training_plots(const BoardPack& pack) {
  Plot empty;
  empty.height = 150;
  empty.x = {"GPUs", PlotUnit::number, true, true};
  empty.y = {"throughput per GPU, relative", PlotUnit::number};
  empty.y.least_span = 0.1;
  empty.series = {line("simulated", Ink::series0), measured_points()};
  std::vector<TitledPlot> plots;
  for (const BoardTable& table : pack.tables) {
    if (!table.is_training()) continue;
    auto& series = plot_of(plots, table_name(table), empty).series;
    const auto add = [&](int ranks, double simulated, double measured) {
      series[0].at.push_back({static_cast<double>(ranks), simulated, {}});
      series[1].at.push_back({static_cast<double>(ranks), measured, {}});
    };
    add(table.base_ranks, 1, 1);
    for (const BoardCase& one : table.cases) {
      if (!one.simulated) continue;
      const double perfect = static_cast<double>(one.ranks) / table.base_ranks;
      const auto kept = [&](double score) { return table.kind == CaseKind::sharded ? 1 - score : score / perfect; };
      add(one.ranks, kept(*one.simulated), kept(one.measured));
    }
  }
  return with_sorted_points(std::move(plots));
}

std::vector<TitledPlot> contention_plots(const BoardPack& pack) {
  Plot empty;
  empty.height = 170;
  empty.x = {"jobs at once"};
  empty.x.counts = true;
  empty.y = {"time", PlotUnit::seconds};
  empty.y.from_zero = true;
  empty.series = {line(yardstick_name(Yardstick::line_ring), Ink::series7, true), line("simulated", Ink::series0),
                  measured_points()};
  std::map<int, Plot> by_nodes;
  for (const BoardTable& table : pack.tables)
    for (const BoardCase& one : table.cases) {
      if (!table.is_contention() || !one.simulated) continue;
      auto& series = by_nodes.try_emplace(one.ranks, empty).first->second.series;
      const double jobs = one.jobs;
      if (const auto& ring = one.yardstick(Yardstick::line_ring)) series[0].at.push_back({jobs, *ring, {}});
      series[1].at.push_back({jobs, *one.simulated, {}});
      series[2].at.push_back({jobs, one.measured,
                              fmt::format("{} jobs on {} nodes: {} measured, {} simulated", one.jobs, one.ranks,
                                          human_seconds(one.measured), human_seconds(*one.simulated))});
    }
  std::vector<TitledPlot> plots;
  for (auto& [nodes, plot] : by_nodes) plots.push_back({fmt::format("{} nodes", nodes), std::move(plot)});
  return plots;
}

} // namespace gradflight
