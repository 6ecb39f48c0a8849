#include "analysis/files/run_directory.hpp"

#include "analysis/files/json_text.hpp"
#include "analysis/files/output_file.hpp"
#include "analysis/files/result_json.hpp"
#include "analysis/result/result_fields.hpp"
#include "models/csv.hpp"

#include <array>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>

namespace gradflight {
namespace {

namespace fs = std::filesystem;

std::string read_all(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string meta_json(const RunMeta& meta) {
  nlohmann::ordered_json object;
  object["date"] = meta.date;
  object["wall_time_s"] = meta.wall_s;
  object["cpu_time_s"] = meta.cpu_s;
  object["max_rss_bytes"] = meta.max_rss_bytes;
  object["versions"] = nlohmann::ordered_json::object();
  for (const auto& [what, version] : meta.versions) object["versions"][what] = version;
  return json_text(object);
}

/// The digits that read back to the same bits.
std::string field_text(const std::optional<ResultValue>& value) {
  if (!value) return {};
  if (const auto* text = std::get_if<std::string>(&*value)) return *text;
  return fmt::format("{}", number_of(*value).value());
}

} // namespace

RunDirectory::RunDirectory(fs::path directory, std::string canonical_scenario)
    : directory_(std::move(directory)), scenario_(std::move(canonical_scenario)) {
  std::error_code error;
  if (fs::exists(directory_, error) && !fs::is_directory(directory_, error))
    throw OutputError(fmt::format("cannot use {} as a run directory: it is a file", directory_.string()));
  made_ = fs::create_directories(directory_, error);
  if (error) throw OutputError(fmt::format("cannot create {}: {}", directory_.string(), error.message()));
  const bool empty = fs::is_empty(directory_, error);
  if (error) throw OutputError(fmt::format("cannot read {}: {}", directory_.string(), error.message()));
  if (empty) return;
  if (!fs::exists(directory_ / "result.json", error) || !fs::exists(directory_ / "command.txt", error))
    throw OutputError(fmt::format("{} is not empty and not a run directory; give a new one", directory_.string()));
  if (read_all(directory_ / "scenario.json") != scenario_)
    throw OutputError(fmt::format("{} holds the run of another scenario; give a new directory", directory_.string()));
}

RunDirectory::~RunDirectory() {
  std::error_code ignored;
  if (made_) fs::remove(directory_, ignored); // only ever removes an empty one
}

void RunDirectory::write(const Outcome& outcome, const std::vector<std::string>& command, const RunMeta& meta) const {
  write_all({{directory_ / "scenario.json", scenario_},
             {directory_ / "links.csv", links_csv(outcome.result)},
             {directory_ / "command.txt", shell_line(command) + '\n'},
             {directory_ / "meta.json", meta_json(meta)},
             {directory_ / "result.json", result_json(outcome)}}); // last: where it exists, the rest does
}

std::string links_csv(const RunResult& result) {
  std::vector<std::string> fields;
  for (const auto& field : link_table().info.fields) fields.push_back(field.key);
  std::string out = csv_line(fields);
  for (const LinkResult& link : result.links) {
    for (std::size_t i = 0; i < fields.size(); ++i)
      fields[i] = field_text(link_table().read({link, result.time}, std::array{ResultStep{i, {}}}));
    out += csv_line(fields);
  }
  return out;
}

std::string shell_line(const std::vector<std::string>& words) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

} // namespace gradflight
