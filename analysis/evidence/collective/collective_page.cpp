#include "analysis/evidence/collective/collective_output.hpp"

#include "analysis/evidence/collective/collective_bounds.hpp"
#include "analysis/run/pages/page.hpp"
#include "analysis/run/pages/part_bars.hpp"
#include "analysis/run/pages/plot.hpp"
#include "base/human.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <optional>

namespace gradflight {
namespace {

constexpr double microsecond = 1e-6;

/// Returns "NVIDIA DGX H100: 16 ranks, 2 nodes".
std::string group_name(const CollectiveTable& table) {
  return fmt::format("{}: {}, {}", table.platform, counted(table.ranks, "rank"), counted(table.nodes, "node"));
}

std::string chosen_text(const CollectiveRow& row) {
  std::string text = row.algorithm;
  if (!row.protocol.empty()) text += " " + row.protocol;
  if (row.channels > 0) text += fmt::format(", {}", counted(row.channels, "channel"));
  return text;
}

bool is_measured(const CollectiveTable& table) {
  return std::ranges::any_of(table.rows, [](const auto& row) { return row.measured_us.has_value(); });
}

std::vector<PageBar::Part> legend_of(const CollectiveTable& table) {
  std::vector<std::vector<Bound>> all;
  for (const CollectiveRow& row : table.rows) all.push_back(row.bound_by);
  return bounds_legend(all);
}

/// Returns a line over sizes with `value` of each row; rows without a value have no point.
template <class Value>
PlotSeries line(const CollectiveTable& table, PlotSeries series, PlotUnit unit, const Value& value) {
  for (const CollectiveRow& row : table.rows)
    if (const std::optional<double> y = value(row); y && *y > 0)
      series.at.push_back(
          {static_cast<double>(row.size_bytes), *y,
           fmt::format("{}, {}: {}", series.name, size_text(row.size_bytes),
                       unit == PlotUnit::seconds ? human_seconds(*y) : fmt::format("{:.4g} GB/s", *y))});
  return series;
}

std::optional<double> seconds(const std::optional<double>& us) {
  return us ? std::optional(*us * microsecond) : std::nullopt;
}

Plot plot_over_size(const char* title, PlotUnit unit) {
  Plot plot;
  plot.x = {"size of the vector", PlotUnit::bytes, true};
  plot.y = {title, unit, true};
  plot.height = 280;
  return plot;
}

const PlotSeries simulated{"simulated", Ink::series0, 0, true, true};
const PlotSeries measured{"measured", Ink::text, 5, true, false};
const PlotSeries closed_form{"closed form", Ink::series1, 0, false, true, true};
const PlotSeries own_model{"library's own model", Ink::series6, 0, false, true, true};

void add_plots(Page& page, const CollectiveTable& table) {
  Plot bandwidths = plot_over_size("bus bandwidth (GB/s)", PlotUnit::number);
  bandwidths.series = {
      line(table, simulated, PlotUnit::number, [](const auto& row) { return std::optional(row.busbw); }),
      line(table, measured, PlotUnit::number, [](const auto& row) {
        // Bandwidths are proportional to the inverse of the times, because the bytes are the same.
        return row.measured_us ? std::optional(row.busbw * row.time_us / *row.measured_us) : std::nullopt;
      })};
  Plot times = plot_over_size("time", PlotUnit::seconds);
  const auto times_of = [&](const PlotSeries& series, const auto& us) {
    times.series.push_back(
        line(table, series, PlotUnit::seconds, [&](const CollectiveRow& row) { return seconds(us(row)); }));
  };
  times_of(simulated, [](const CollectiveRow& row) { return std::optional(row.time_us); });
  times_of(measured, [](const CollectiveRow& row) { return row.measured_us; });
  times_of(closed_form, [](const CollectiveRow& row) { return row.closed_form_us; });
  times_of(own_model, [](const CollectiveRow& row) { return row.model_time_us; });
  for (Plot* plot : {&bandwidths, &times})
    std::erase_if(plot->series, [](const PlotSeries& series) { return series.at.empty(); });
  page.figure("Bus bandwidth, as nccl-tests counts it.", bandwidths, "bus bandwidth over size");
  page.figure("Time of a call.", times, "time over size");
}

/// Returns the error of the simulation relative to another time.
PageCell residual(double time_us, const std::optional<double>& other_us) {
  return PageCell::unbroken(other_us && *other_us > 0 ? human_error(time_us / *other_us - 1) : "-");
}

/// A column of the table of sizes.
struct Column {
  const char* header;
  std::function<PageCell(const CollectiveRow&)> cell;
  bool wanted = true;
};

void add_rows(Page& page, const CollectiveTable& table) {
  const auto any = [&](const auto& has) { return std::ranges::any_of(table.rows, has); };
  const bool against = is_measured(table);
  const bool form = any([](const CollectiveRow& row) { return row.closed_form_us.has_value(); });
  const bool model = any([](const CollectiveRow& row) { return row.model_time_us.has_value(); });
  const auto time_text = [](const std::optional<double>& us) {
    return PageCell::unbroken(us ? human_seconds(*us * microsecond) : "-");
  };
  const auto size = [](const CollectiveRow& row) { return PageCell::unbroken(size_text(row.size_bytes)); };
  const auto chosen = [](const CollectiveRow& row) { return PageCell::unbroken(chosen_text(row)); };
  const std::vector<Column> columns = {
      {"size", size},
      {"time", [&](const CollectiveRow& row) { return time_text(row.time_us); }},
      {"90th percentile", [&](const CollectiveRow& row) { return time_text(row.time_90th_us); }, table.seeds > 1},
      {"busbw, GB/s", [](const CollectiveRow& row) { return PageCell(fmt::format("{:.2f}", row.busbw)); }},
      {"bound by", [](const CollectiveRow& row) { return PageCell(bounds_bar(row.bound_by)); }},
      {"", [](const CollectiveRow& row) { return PageCell(row.bound_by.empty() ? "-" : row.bound_by.front().noun()); }},
      {"measured", [&](const CollectiveRow& row) { return time_text(row.measured_us); }, against},
      {"error", [](const CollectiveRow& row) { return residual(row.time_us, row.measured_us); }, against},
      {"closed form", [&](const CollectiveRow& row) { return time_text(row.closed_form_us); }, form},
      {"residual", [](const CollectiveRow& row) { return residual(row.time_us, row.closed_form_us); }, form},
      {"library's own model", [&](const CollectiveRow& row) { return time_text(row.model_time_us); }, model},
      {"chosen", chosen},
  };
  PageTable rows, reasons{{"size", "chosen", "why"}, {}};
  for (const Column& column : columns)
    if (column.wanted) rows.header.emplace_back(column.header);
  for (const CollectiveRow& row : table.rows) {
    rows.rows.emplace_back();
    for (const Column& column : columns)
      if (column.wanted) rows.rows.back().push_back(column.cell(row));
    reasons.rows.push_back({size(row), chosen(row), row.why});
  }
  page.legend(legend_of(table));
  page.table(rows);
  page.folded_table("Why each was chosen", reasons);
}

} // namespace

std::string collective_page(const std::vector<CollectiveTable>& tables, const std::string& platform,
                            const std::string& command) {
  const bool one = tables.size() == 1;
  Page page(
      fmt::format("{} on {}", one ? operation_name(tables.front().op) : "Collectives", group_name(tables.front())));
  for (const CollectiveTable& table : tables) {
    const std::string prefix = one ? "" : fmt::format("{}: ", operation_name(table.op));
    for (const std::string& sentence : {bounds_sentence(table), apart_sentence(table)})
      if (!sentence.empty()) page.lead(prefix + sentence);
  }
  for (const CollectiveTable& table : tables) {
    const std::string operation(operation_name(table.op));
    page.heading(one ? "Times and bandwidths" : operation, operation);
    add_plots(page, table);
    add_rows(page, table);
    for (const std::string& sentence : form_sentences(table)) page.paragraph(sentence);
    if (const std::string seeds = seeds_sentence(table); !seeds.empty()) page.paragraph(seeds);
    if (const std::string spread = spread_sentence(table); !spread.empty()) page.paragraph(spread);
    for (const std::string& warning : table.warnings) page.note(fmt::format("Warning: {}.", warning));
  }
  page.heading("Platform", "platform");
  page.paragraph(platform + ".");
  page.command(command);
  return page.html();
}

} // namespace gradflight
