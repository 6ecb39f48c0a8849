#include "analysis/evidence/boards/boards_output.hpp"

#include "analysis/evidence/boards/signed_errors.hpp"
#include "analysis/run/files/json_text.hpp"

#include <nlohmann/json.hpp>
#include <string_view>

namespace gradflight {

namespace {

using Json = nlohmann::ordered_json;

Json statistics_json(const ErrorStatistics& errors) {
  return {{"count", errors.count},
          {"median_abs_error", optional_json(errors.median)},
          {"p80_abs_error", optional_json(errors.p80)},
          {"p90_abs_error", optional_json(errors.p90)},
          {"within_20", errors.count > 0 ? Json(errors.within_20) : Json()},
          {"within_30", errors.count > 0 ? Json(errors.within_30) : Json()}};
}

Json group_json(const BoardGroup& group) {
  Json json = {{"name", group.name}, {"counted", group.counted}};
  json.update(statistics_json(group.errors));
  json["noise_median"] = optional_json(group.noise);
  json["against"] = Json::array();
  for (const YardstickScore& score : group.against) {
    Json against = {{"name", score.name}};
    against.update(statistics_json(score.errors));
    against["simulated"] = statistics_json(score.simulation);
    against["closer"] = score.closer;
    json["against"].push_back(std::move(against));
  }
  return json;
}

/// Returns the statistics of a board, without its name.
Json scores_json(const Board& board) {
  Json json = group_json(board.all);
  json.erase("name");
  json.erase("counted");
  json["machine_median"] = optional_json(board.machine_median);
  for (const auto& [key, groups] : {std::pair("machines", &board.machines), std::pair("operations", &board.operations),
                                    std::pair("fabrics", &board.fabrics)}) {
    json[key] = Json::array();
    for (const BoardGroup& group : *groups) json[key].push_back(group_json(group));
  }
  return json;
}

Json boards_json_of(const MeasuredBoards& measured) {
  Json json = Json::array();
  const auto left_out = boards_of(measured.left_out);
  for (const Board& board : boards_of(measured.in_place)) {
    Json one = {{"name", board.kind.name}, {"description", board.kind.text}, {"leave_one_out", Json()}};
    for (const Board& same : left_out)
      if (std::string_view(same.kind.name) == board.kind.name && same.all.errors.count > 0)
        one["leave_one_out"] = scores_json(same);
    one.update(scores_json(board));
    json.push_back(std::move(one));
  }
  return json;
}

Json signed_json(const SignedErrors& errors) {
  Json json;
  for (const auto& [key, groups] : {std::pair("sizes", &errors.sizes), std::pair("operations", &errors.operations),
                                    std::pair("choices", &errors.choices)}) {
    json[key] = Json::array();
    for (const SignedGroup& group : *groups)
      json[key].push_back(
          {{"name", group.name}, {"count", group.count}, {"median_error", optional_json(group.median)}});
  }
  return json;
}

Json typical_json(const std::optional<TypicalNumber>& typical) {
  if (!typical) return {};
  return {{"value", typical->value}, {"from", typical->from}, {"of", typical->shared_property}};
}

/// Returns the typical values of a pack; null if they serve none of its tables.
Json left_out_json(const BoardPack& left_out) {
  if (!is_left_out(left_out)) return {};
  return {{"settings", left_out.pack.settings()},
          {"latency_s", typical_json(left_out.typical.latency_s)},
          {"rate_share", typical_json(left_out.typical.rate_share)},
          {"compute_spread", typical_json(left_out.spread)}};
}

template <class Entry> Json entry_json(const Entry& entry, int rows) {
  Json where = Json::object();
  for (const auto& column : entry.where) where[column.column] = column.values;
  return {{"file", entry.file.text},
          {"where", where},
          {"role", measured_role_name(entry.role)},
          {"reason", entry.reason.empty() ? Json() : Json(entry.reason)},
          {"rows", rows}};
}

Json pack_json(const BoardPack& board) {
  const MeasuredPack& pack = board.pack;
  Json json = {{"name", pack.name.text},
               {"source", pack.source},
               {"licence", pack.licence},
               {"machine", pack.machine ? Json(pack.machine->text) : Json()},
               {"fabric", pack.fabric ? Json(network_fabric_name(*pack.fabric)) : Json()},
               {"library", pack.library.text},
               {"library_version", pack.library_version.empty() ? Json() : Json(pack.library_version)},
               {"settings", pack.settings()},
               {"fitted_to", pack.fitted ? Json(pack.fitted->to) : Json()},
               {"counted", board.counted()}};
  for (const auto role : {MeasuredRole::scored, MeasuredRole::fitted, MeasuredRole::noted})
    json["rows"][measured_role_name(role)] = board.rows(role);
  json["tables"] = Json::array();
  for (std::size_t i = 0; i < pack.tables.size(); ++i)
    json["tables"].push_back(entry_json(pack.tables[i], board.entry_rows[i]));
  json["training"] = Json::array();
  for (std::size_t i = 0; i < pack.training.size(); ++i)
    json["training"].push_back(entry_json(pack.training[i], board.training_rows[i]));
  return json;
}

Json job_json(const MeasuredBoards& measured, std::size_t pack, std::size_t index) {
  const BoardPack& board = measured.in_place[pack];
  const BoardTable& table = board.tables[index];
  Json json = {{"pack", board.pack.name.text},
               {"board", table.is_contention()             ? "contention"
                         : table.kind == CaseKind::sharded ? "sharded"
                                                           : "training"},
               {"scheme", table.what},
               {"job", table.job},
               {"scenario", board.pack.training[table.entry].scenario->text},
               {"base_ranks", table.base_ranks},
               {"base_step_s", table.base_step},
               {"fitted_compute_s", table.compute},
               {"scales", Json::array()}};
  for (std::size_t i = 0; i < table.cases.size(); ++i) {
    const BoardCase& one = table.cases[i];
    Json left;
    if (const BoardCase* same = left_out_case(measured, pack, index, i))
      left = {{"simulated", optional_json(same->simulated)}, {"relative_error", optional_json(same->error())}};
    json["scales"].push_back({{"ranks", one.ranks},
                              {"jobs", one.jobs},
                              {"measured", one.measured},
                              {"measurements", one.times},
                              {"least", one.least},
                              {"most", one.most},
                              {"noise", optional_json(one.noise)},
                              {"simulated", optional_json(one.simulated)},
                              {"relative_error", optional_json(one.error())},
                              {"perfect_scaling", optional_json(one.yardstick(Yardstick::perfect_scaling))},
                              {"line_ring", optional_json(one.yardstick(Yardstick::line_ring))},
                              {"leave_one_out", std::move(left)}});
  }
  return json;
}

/// Returns the predictions of a case in one way.
Json prediction_json(const BoardCase& one) {
  return {{"simulated_us", optional_json(one.simulated)},
          {"relative_error", optional_json(one.error())},
          {"line_ring_us", optional_json(one.yardstick(Yardstick::line_ring))},
          {"model_time_us", optional_json(one.yardstick(Yardstick::own_formula))},
          {"algorithm", one.algorithm},
          {"protocol", one.protocol.empty() ? Json() : Json(one.protocol)},
          {"channels", one.channels > 0 ? Json(one.channels) : Json()}};
}

/// `left_out`: the same case of the left-out pack; null: none.
Json case_json(const BoardPack& board, const BoardTable& table, const BoardCase& one, const BoardCase* left_out) {
  Json boards = Json::array();
  for (const BoardKind& kind : board_kinds())
    if (table.role == MeasuredRole::scored && kind.takes(table, one)) boards.push_back(kind.name);
  Json json = {{"pack", board.pack.name.text},
               {"role", measured_role_name(table.role)},
               {"boards", boards},
               {"op", table.what},
               {"nodes", table.nodes},
               {"ranks", table.ranks},
               {"size_bytes", json_count(one.size_bytes)},
               {"measured_us", one.measured},
               {"measurements", one.times},
               {"least_us", one.least},
               {"most_us", one.most},
               {"noise", optional_json(one.noise)}};
  json.update(prediction_json(one));
  json["leave_one_out"] = left_out != nullptr ? prediction_json(*left_out) : Json();
  return json;
}

Json crossover_json(const Crossover& one, bool measured) {
  Json json = {{"from_bytes", json_count(one.from_bytes)}, {"to_bytes", json_count(one.to_bytes)}};
  if (measured) {
    json["time_factor"] = one.factor;
    json["nearest_simulated_factor"] = optional_json(one.off_by);
  } else {
    json["from"] = one.from;
    json["to"] = one.to;
  }
  return json;
}

Json crossovers_json(const BoardPack& board, const BoardTable& table) {
  const Crossovers found = crossovers_of(table);
  Json json = {{"pack", board.pack.name.text}, {"op", table.what},           {"nodes", table.nodes},
               {"ranks", table.ranks},         {"simulated", Json::array()}, {"measured", Json::array()}};
  for (const Crossover& one : found.simulated) json["simulated"].push_back(crossover_json(one, false));
  for (const Crossover& one : found.measured) json["measured"].push_back(crossover_json(one, true));
  return json;
}

} // namespace

nlohmann::ordered_json boards_json(const MeasuredBoards& measured) {
  Json json = {{"boards", boards_json_of(measured)},
               {"signed_errors",
                {{"leave_one_out", signed_json(signed_errors(measured.left_out))},
                 {"fit_in_place", signed_json(signed_errors(measured.in_place))}}},
               {"packs", Json::array()},
               {"cases", Json::array()},
               {"crossovers", Json::array()},
               {"training", Json::array()}};
  for (std::size_t i = 0; i < measured.in_place.size(); ++i) {
    const BoardPack& pack = measured.in_place[i];
    const BoardPack* left_out = i < measured.left_out.size() ? &measured.left_out[i] : nullptr;
    json["packs"].push_back(pack_json(pack));
    json["packs"].back()["leave_one_out"] = left_out != nullptr ? left_out_json(*left_out) : Json();
    for (std::size_t t = 0; t < pack.tables.size(); ++t) {
      const BoardTable& table = pack.tables[t];
      if (!table.is_collective()) {
        json["training"].push_back(job_json(measured, i, t));
        continue;
      }
      for (std::size_t k = 0; k < table.cases.size(); ++k)
        json["cases"].push_back(case_json(pack, table, table.cases[k], left_out_case(measured, i, t, k)));
      json["crossovers"].push_back(crossovers_json(pack, table));
    }
  }
  return json;
}

} // namespace gradflight
