#include "analysis/evidence/boards/boards_text.hpp"

#include "analysis/run/files/json_text.hpp"

#include <nlohmann/json.hpp>

namespace gradflight {

namespace {

using Json = nlohmann::ordered_json;

Json maybe_json(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json statistics_json(const ErrorStatistics& errors) {
  return {{"count", errors.count},
          {"median_abs_error", maybe_json(errors.median)},
          {"p80_abs_error", maybe_json(errors.p80)},
          {"p90_abs_error", maybe_json(errors.p90)},
          {"within_20", errors.count > 0 ? Json(errors.within_20) : Json()},
          {"within_30", errors.count > 0 ? Json(errors.within_30) : Json()}};
}

Json group_json(const BoardGroup& group) {
  Json json = {{"name", group.name}, {"counted", group.counted}};
  json.update(statistics_json(group.errors));
  json["noise_median"] = maybe_json(group.noise);
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

Json board_json(const Board& board) {
  Json json = {{"name", board.kind.name}, {"description", board.kind.text}};
  Json all = group_json(board.all);
  all.erase("name");
  all.erase("counted");
  json.update(all);
  json["machine_median"] = maybe_json(board.machine_median);
  for (const auto& [key, groups] :
       {std::pair("machines", &board.machines), std::pair("operations", &board.operations)}) {
    json[key] = Json::array();
    for (const BoardGroup& group : *groups) json[key].push_back(group_json(group));
  }
  return json;
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

Json job_json(const BoardPack& board, const BoardTable& table) {
  Json json = {{"pack", board.pack.name.text},
               {"board", table.kind == CaseKind::contention ? "contention"
                         : table.kind == CaseKind::sharded  ? "sharded"
                                                            : "training"},
               {"scheme", table.what},
               {"job", table.job},
               {"scenario", board.pack.training[table.entry].scenario->text},
               {"base_ranks", table.base_ranks},
               {"base_step_s", table.base_step},
               {"fitted_compute_s", table.compute},
               {"scales", Json::array()}};
  const auto perfect = static_cast<std::size_t>(Yardstick::perfect_scaling);
  const auto ring = static_cast<std::size_t>(Yardstick::line_ring);
  for (const BoardCase& one : table.cases)
    json["scales"].push_back({{"ranks", one.ranks},
                              {"jobs", one.jobs},
                              {"measured", one.measured},
                              {"measurements", one.times},
                              {"least", one.least},
                              {"most", one.most},
                              {"noise", maybe_json(one.noise)},
                              {"simulated", maybe_json(one.simulated)},
                              {"relative_error", maybe_json(one.error())},
                              {"perfect_scaling", maybe_json(one.yardsticks[perfect])},
                              {"line_ring", maybe_json(one.yardsticks[ring])}});
  return json;
}

Json case_json(const BoardPack& board, const BoardTable& table, const BoardCase& one) {
  Json boards = Json::array();
  for (const BoardKind& kind : board_kinds())
    if (table.role == MeasuredRole::scored && kind.takes(table, one)) boards.push_back(kind.name);
  const auto ring = static_cast<std::size_t>(Yardstick::line_ring);
  const auto own = static_cast<std::size_t>(Yardstick::own_formula);
  return {{"pack", board.pack.name.text},
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
          {"noise", maybe_json(one.noise)},
          {"simulated_us", maybe_json(one.simulated)},
          {"relative_error", maybe_json(one.error())},
          {"line_ring_us", maybe_json(one.yardsticks[ring])},
          {"model_time_us", maybe_json(one.yardsticks[own])},
          {"algorithm", one.algorithm},
          {"protocol", one.protocol.empty() ? Json() : Json(one.protocol)},
          {"channels", one.channels > 0 ? Json(one.channels) : Json()}};
}

Json crossover_json(const Crossover& one, bool measured) {
  Json json = {{"from_bytes", json_count(one.from_bytes)}, {"to_bytes", json_count(one.to_bytes)}};
  if (measured) {
    json["time_factor"] = one.factor;
    json["nearest_simulated_factor"] = maybe_json(one.off_by);
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

nlohmann::ordered_json boards_json(const std::vector<BoardPack>& packs) {
  Json json = {{"boards", Json::array()},
               {"packs", Json::array()},
               {"cases", Json::array()},
               {"crossovers", Json::array()},
               {"training", Json::array()}};
  for (const Board& board : boards_of(packs)) json["boards"].push_back(board_json(board));
  for (const BoardPack& pack : packs) {
    json["packs"].push_back(pack_json(pack));
    for (const BoardTable& table : pack.tables) {
      if (table.kind != CaseKind::collective) {
        json["training"].push_back(job_json(pack, table));
        continue;
      }
      for (const BoardCase& one : table.cases) json["cases"].push_back(case_json(pack, table, one));
      json["crossovers"].push_back(crossovers_json(pack, table));
    }
  }
  return json;
}

} // namespace gradflight
