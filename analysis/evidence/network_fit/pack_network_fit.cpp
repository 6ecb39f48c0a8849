#include "analysis/evidence/network_fit/pack_network_fit.hpp"

#include "analysis/evidence/boards/board_rows.hpp"
#include "analysis/evidence/network_fit/network_fit_text.hpp"
#include "scenarios/language/json/diagnostics.hpp"
#include "scenarios/language/json/edit_text.hpp"
#include "scenarios/language/json/json_reader.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace gradflight {

namespace {

TimedTable timed_table(const MeasuredPack& pack, const BoardTable& table) {
  TimedTable timed{pack.beside(pack.tables[table.entry].file.text),
                   0,
                   Benchmark::collective,
                   table.op,
                   table.nodes,
                   table.ranks,
                   table.algorithm,
                   table.protocol};
  for (const BoardCase& each : table.cases) timed.rows.push_back({each.size_bytes, each.measured * 1e-6, each.times});
  return timed;
}

TimedSetting setting_of(const MeasuredPack& pack, int element_size) {
  MeasuredPack before = pack;
  before.fitted.reset();
  TimedSetting setting;
  setting.platform = pack.platform();
  setting.sets = before.settings();
  setting.algorithm = pack.library.text;
  setting.element_size = element_size;
  setting.iterations = pack.iterations;
  return setting;
}

} // namespace

PackNetworkFit load_pack_fit(const std::string& path) {
  BoardPack board{load_measured_pack(path), {}, {}};
  RowReader().read(board);
  const MeasuredPack& pack = board.pack;
  std::vector<TimedTable> timed;
  int element_size = 4;
  for (const BoardTable& table : board.tables)
    if (table.role == MeasuredRole::fitted) {
      timed.push_back(timed_table(pack, table));
      element_size = table.element_size;
    }
  const auto refuse_pack = [&](std::string why) { throw InputErrors({{path, 0, 0, "/tables", std::move(why)}}); };
  if (timed.empty())
    refuse_pack("no table of a collective has the role \"fitted\" (to fit to a point-to-point log, use --platform)");
  std::string names;
  for (const TimedTable& table : timed) names += (names.empty() ? "" : ", ") + table.name();
  if (timed.size() > 1)
    refuse_pack(fmt::format("exactly one table must have the role \"fitted\", but {} have: {}", timed.size(), names));
  PackNetworkFit fit{setting_of(pack, element_size), {}, {}};
  fit.tables = simulable_tables(std::move(timed), fit.setting);
  fit.fitted.resize(fit.tables.size());
  std::iota(fit.fitted.begin(), fit.fitted.end(), 0U);
  return fit;
}

std::string with_network_fit(std::string text, const NetworkFit& fit) {
  const std::string block = "/fitted", set = block + "/set";
  std::vector<std::string> paths;
  for (const std::string& each : fit.assignments) {
    const auto equals = each.find('=');
    paths.push_back(each.substr(0, equals));
    text = with_scalar_member(std::move(text), set, paths.back(), json_string(each.substr(equals + 1)));
  }
  const Node root = parse_for_edit(text);
  const Node* fitted = root.find("fitted");
  const Node* before = fitted != nullptr ? fitted->find("set") : nullptr;
  if (before == nullptr) throw ChangedMeanwhile(fmt::format("the file has no object at {}", set));
  for (const Member& member : before->members)
    if (std::ranges::find(paths, member.key) == paths.end())
      text = without_scalar_member(std::move(text), set, member.key);
  return with_scalar_member(std::move(text), block, "to", json_string(fit_with_intervals(fit)));
}

} // namespace gradflight
