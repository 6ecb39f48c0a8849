#include "analysis/run/files/run_directory.hpp"

#include "analysis/run/files/json_text.hpp"
#include "analysis/run/files/output_file.hpp"
#include "analysis/run/files/result_json.hpp"
#include "analysis/run/result/fields/result_fields.hpp"
#include "base/csv.hpp"
#include "base/input_file.hpp"
#include "base/paths.hpp"
#include "base/visible.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <sys/file.h>
#include <unistd.h>

namespace gradflight {
namespace {

namespace fs = std::filesystem;

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

/// Returns the digits that read back to the same bits.
std::string field_text(const std::optional<ResultValue>& value) {
  if (!value) return {};
  if (const auto* text = std::get_if<std::string>(&*value)) return *text;
  return fmt::format("{}", number_of(*value).value());
}

/// In the order of writing: if the last one exists, all do.
constexpr std::array files = {"scenario.json", "links.csv", "command.txt", "meta.json", "result.json"};

enum class Contents : std::uint8_t { nothing, run, something_else };

/// A killed run may leave some of its files, the scenario first, and temporary files. The same run may then write all
/// of them again.
Contents contents_of(const fs::path& directory) {
  std::error_code error;
  std::set<std::string> whole;
  bool only_ours = true;
  for (const fs::path& entry : entries_of(directory, error)) {
    const std::string name = entry.filename().string(), replaced = replaced_by_temporary(name);
    only_ours = only_ours && std::ranges::find(files, replaced.empty() ? name : replaced) != files.end();
    if (replaced.empty()) whole.insert(name);
  }
  if (error) throw OutputError(fmt::format("cannot read {}: {}", directory.string(), error.message()));
  if (only_ours && whole.empty()) return Contents::nothing;
  const bool killed = only_ours && whole.contains("scenario.json");
  return killed || (whole.contains("result.json") && whole.contains("command.txt")) ? Contents::run
                                                                                    : Contents::something_else;
}

} // namespace

RunDirectory::RunDirectory(fs::path directory, std::string canonical_scenario)
    : directory_(std::move(directory)), scenario_(std::move(canonical_scenario)) {
  std::error_code error;
  if (fs::exists(directory_, error) && !fs::is_directory(directory_, error))
    throw OutputError(fmt::format("cannot use {} as a run directory: it is a file", directory_.string()));
  made_ = fs::create_directories(directory_, error);
  if (error) throw OutputError(fmt::format("cannot create {}: {}", directory_.string(), error.message()));
  // Some file systems have no locks. Without them, only runs of two different scenarios at the same time cause
  // problems.
  lock_.file = open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (flock(lock_.file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw OutputError(
        fmt::format("another process is writing a run into {}; give a new directory", directory_.string()));
  const Contents contents = contents_of(directory_);
  if (contents == Contents::nothing) return;
  if (contents == Contents::something_else)
    throw OutputError(
        fmt::format("{} is not empty and is not a run directory; give a new directory", directory_.string()));
  constexpr std::size_t more = 1; // an additional byte detects a longer file, which must be another one
  const FileText before = read_file(directory_ / "scenario.json", scenario_.size() + more);
  if (!before.error.empty())
    throw OutputError(fmt::format("{}: {}", (directory_ / "scenario.json").string(), before.error));
  if (before.text != scenario_)
    throw OutputError(fmt::format("{} holds the run of another scenario; give a new directory", directory_.string()));
}

RunDirectory::~RunDirectory() {
  std::error_code ignored;
  if (made_) fs::remove(directory_, ignored); // removes the directory only if it is empty
}

bool RunDirectory::writes(const fs::path& file) const {
  return std::ranges::any_of(files, [&](const char* name) { return is_same_file(directory_ / name, file); });
}

void RunDirectory::write(const Outcome& outcome, const std::vector<std::string>& command, const RunMeta& meta) const {
  const std::array texts = {scenario_, links_csv(outcome.result), shell_line(command) + '\n', meta_json(meta),
                            result_json(outcome)};
  std::vector<std::pair<std::string, std::string>> all;
  for (std::size_t i = 0; i < files.size(); ++i) all.emplace_back(directory_ / files[i], texts[i]);
  write_all(all);
}

RunDirectory::Lock::~Lock() {
  if (file >= 0) close(file);
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

} // namespace gradflight
