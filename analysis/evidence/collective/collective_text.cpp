#include "analysis/evidence/collective/collective_output.hpp"

#include "analysis/evidence/collective/collective_bounds.hpp"
#include "analysis/evidence/error_statistics.hpp"
#include "analysis/run/files/json_text.hpp"
#include "analysis/run/result/bounds_json.hpp"
#include "base/csv.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace gradflight {

namespace {

using Json = nlohmann::ordered_json;

std::optional<double> relative_error(const CollectiveRow& row) {
  if (!row.measured_us) return std::nullopt;
  return row.time_us / *row.measured_us - 1;
}

Json spreads_json(const MeasuredSpreads& spreads) {
  Json sizes = Json::array();
  for (std::size_t i = 0; i < spreads.by_size.size(); ++i)
    sizes.push_back({{"below_bytes", i < spread_ends.size() ? Json(spread_ends[i]) : Json()},
                     {"least", spreads.by_size[i].least},
                     {"most", spreads.by_size[i].most},
                     {"cases", spreads.by_size[i].cases}});
  Json operations = Json::array();
  for (const Operation op : spreads.operations) operations.push_back(operation_name(op));
  return {{"like", spreads.like},
          {"machines", spreads.machines},
          {"operations", operations},
          {"measured_over_simulated", sizes}};
}

/// Returns the ids of the assumptions that fail, each once.
Json fails_json(const CollectiveRow& row) {
  Json ids = Json::array();
  for (const Assumption& assumption : row.form_fails)
    if (std::ranges::find(ids, Json(name(assumption.id))) == ids.end()) ids.push_back(name(assumption.id));
  return ids;
}

Json json_of(const CollectiveTable& table) {
  Json out = {
      {"op", operation_name(table.op)}, {"platform", table.platform}, {"ranks", table.ranks}, {"nodes", table.nodes}};
  if (table.seeds > 1) out["seeds"] = table.seeds;
  out["rows"] = Json::array();
  for (const CollectiveRow& row : table.rows) {
    Json json = {{"size_bytes", row.size_bytes},
                 {"count", row.count},
                 {"type", table.type},
                 {"time_us", row.time_us},
                 {"algbw_GBps", row.algbw},
                 {"busbw_GBps", row.busbw},
                 {"algorithm", row.algorithm},
                 {"protocol", row.protocol.empty() ? Json() : Json(row.protocol)},
                 {"channels", row.channels > 0 ? Json(row.channels) : Json()},
                 {"why", row.why},
                 {"closed_form_us", optional_json(row.closed_form_us)},
                 {"closed_form_is_bound", row.form_is_bound},
                 {"closed_form_fails", fails_json(row)},
                 {"model_time_us", optional_json(row.model_time_us)},
                 {"bound_by", bounds_json(row.bound_by)}};
    if (row.time_90th_us) json["time_90th_us"] = *row.time_90th_us;
    if (row.measured_us) {
      json["measured_us"] = *row.measured_us;
      json["relative_error"] = *relative_error(row);
    }
    out["rows"].push_back(std::move(json));
  }
  out["verdict"] = bounds_sentence(table);
  if (table.spreads != nullptr) out["spread"] = spreads_json(*table.spreads);
  if (!table.warnings.empty()) out["warnings"] = table.warnings;
  if (const std::string apart = apart_sentence(table); !apart.empty()) out["against"] = apart;
  return out;
}

std::string number(const std::optional<double>& value) { return value ? fmt::format("{}", *value) : std::string(); }

/// Returns the text of the column: "NICs", "latency", "protocol"; "NICs, uplinks" if they tie.
std::string bound_text(const CollectiveRow& row) {
  if (row.bound_by.empty()) return "-";
  constexpr std::string_view article = "the ";
  std::string text;
  for (const Bound& bound : first_bounds(row.bound_by)) {
    const bool short_name = bound.what == Bounding::protocol || bound.what == Bounding::latency;
    const std::string noun = short_name ? bounding_name(bound.what) : bound.noun();
    text += (text.empty() ? "" : ", ") + (noun.starts_with(article) ? noun.substr(article.size()) : noun);
  }
  return text;
}

/// Returns the width of this column.
std::size_t bound_width(const CollectiveTable& table) {
  std::size_t width = std::string_view("bound by ").size();
  for (const CollectiveRow& row : table.rows) width = std::max(width, bound_text(row).size());
  return width;
}

std::string header(const CollectiveTable& table, bool against) {
  std::string text = fmt::format("# {} on {}: {} ranks, {} a node, {}\n", operation_name(table.op), table.platform,
                                 table.ranks, table.ranks / table.nodes, table.type);
  if (const std::string bounds = bounds_sentence(table); !bounds.empty()) text += fmt::format("# {}\n", bounds);
  text += fmt::format("# {:>12} {:>12} {:>12} {:>9} {:>9}", "size", "count", "time", "algbw", "busbw");
  if (table.seeds > 1) text += fmt::format(" {:>12}", "90th");
  if (against) text += fmt::format(" {:>12} {:>8}", "measured", "error");
  text +=
      fmt::format(" {:>12} {:>12}  {:<{}} {}\n", "closed form", "own model", "bound by", bound_width(table), "chosen");
  text += fmt::format("# {:>12} {:>12} {:>12} {:>9} {:>9}", "(B)", "(elements)", "(us)", "(GB/s)", "(GB/s)");
  if (table.seeds > 1) text += fmt::format(" {:>12}", "(us)");
  if (against) text += fmt::format(" {:>12} {:>8}", "(us)", "");
  return text + fmt::format(" {:>12} {:>12}\n", "(us)", "(us)");
}

/// Returns the closed form of the column; ">=" marks a bound if both fit.
std::string form_text(const CollectiveRow& row) {
  constexpr std::size_t width = 12;
  if (!row.closed_form_us) return "-";
  std::string text = fmt::format("{:.2f}", *row.closed_form_us);
  return row.form_is_bound && text.size() + 2 <= width ? ">=" + text : text;
}

std::string line(const CollectiveRow& row, bool against, std::size_t bound_width) {
  const auto time = [](const std::optional<double>& us) { return us ? fmt::format("{:.2f}", *us) : std::string("-"); };
  std::string text = fmt::format("  {:>12} {:>12} {:>12.2f} {:>9.2f} {:>9.2f}", row.size_bytes, row.count, row.time_us,
                                 row.algbw, row.busbw);
  if (row.time_90th_us) text += fmt::format(" {:>12}", time(row.time_90th_us));
  if (against) text += fmt::format(" {:>12} {:>8}", time(row.measured_us), signed_percent_text(relative_error(row)));
  text += fmt::format(" {:>12} {:>12}  {:<{}} {}", form_text(row), time(row.model_time_us), bound_text(row),
                      bound_width, row.algorithm);
  if (!row.protocol.empty()) text += fmt::format(" {}", row.protocol);
  if (row.channels > 0) text += fmt::format(" {} ch", row.channels);
  return text + fmt::format("; {}\n", row.why);
}

} // namespace

std::string collective_text(const CollectiveTable& table, bool against) {
  std::string text = header(table, against);
  const std::size_t width = bound_width(table);
  for (const CollectiveRow& row : table.rows) text += line(row, against, width);
  std::vector<std::string> sentences = form_sentences(table);
  sentences.push_back(seeds_sentence(table));
  sentences.push_back(spread_sentence(table));
  sentences.push_back(apart_sentence(table));
  for (const std::string& warning : table.warnings) sentences.push_back(fmt::format("Warning: {}.", warning));
  for (const std::string& sentence : sentences)
    if (!sentence.empty()) text += fmt::format("# {}\n", sentence);
  return text;
}

std::string collective_json(const std::vector<CollectiveTable>& tables) {
  if (tables.size() == 1) return json_text(json_of(tables.front()));
  Json all = Json::array();
  for (const CollectiveTable& table : tables) all.push_back(json_of(table));
  return json_text(all);
}

std::string collective_csv(const std::vector<CollectiveTable>& tables) {
  std::string text = csv_line({"op",          "platform",       "ranks",    "nodes",          "size_bytes",
                               "count",       "type",           "time_us",  "algbw_GBps",     "busbw_GBps",
                               "algorithm",   "protocol",       "channels", "closed_form_us", "model_time_us",
                               "measured_us", "relative_error", "why",      "bound_by",       "time_90th_us"});
  for (const CollectiveTable& table : tables)
    for (const CollectiveRow& row : table.rows)
      text += csv_line({std::string(operation_name(table.op)),
                        table.platform,
                        std::to_string(table.ranks),
                        std::to_string(table.nodes),
                        std::to_string(row.size_bytes),
                        std::to_string(row.count),
                        table.type,
                        number(row.time_us),
                        number(row.algbw),
                        number(row.busbw),
                        row.algorithm,
                        row.protocol,
                        row.channels > 0 ? std::to_string(row.channels) : "",
                        number(row.closed_form_us),
                        number(row.model_time_us),
                        number(row.measured_us),
                        number(relative_error(row)),
                        row.why,
                        row.bound_by.empty() ? "" : bounding_name(row.bound_by.front().what),
                        number(row.time_90th_us)});
  return text;
}

} // namespace gradflight
