#include "analysis/explore/sweeps/sweep_records.hpp"

#include "analysis/run/files/output_file.hpp"
#include "analysis/run/files/process.hpp"
#include "base/digest.hpp"
#include "base/paths.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace gradflight {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::array statuses = {PointStatus::ok, PointStatus::invalid, PointStatus::failed, PointStatus::killed};
constexpr std::size_t digits = 16;
constexpr auto flush_interval = std::chrono::seconds(5);

Json json_of(const Cell& cell) {
  return std::visit(
      [](const auto& value) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::monostate>)
          return nullptr;
        else
          return value;
      },
      cell);
}

Cell cell_of(const Json& json) {
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  return {};
}

void take(RecordSet& set, std::map<std::string, std::string>& places, SweepRecord record, const std::string& place) {
  const auto [at, is_new] = set.by_id.try_emplace(record.id, record);
  if (is_new) {
    places[record.id] = place;
    return;
  }
  auto& known = at->second;
  if (known.agrees_with(record)) return;
  const bool known_killed = known.status == PointStatus::killed, killed = record.status == PointStatus::killed;
  if (!known_killed && !killed) {
    set.conflicts.push_back({record.id, places[record.id] + ": " + record_line(known).substr(digits + 1),
                             place + ": " + record_line(record).substr(digits + 1)});
  } else if (!killed || (known_killed && record.message < known.message)) {
    known = std::move(record);
    places[known.id] = place;
  }
}

} // namespace

const char* point_status_name(PointStatus status) {
  switch (status) {
  case PointStatus::ok: return "ok";
  case PointStatus::invalid: return "invalid";
  case PointStatus::failed: return "failed";
  case PointStatus::killed: return "killed";
  }
  return "";
}

bool SweepRecord::agrees_with(const SweepRecord& other) const {
  return id == other.id && status == other.status && message == other.message && cells == other.cells;
}

std::string record_line(const SweepRecord& record) {
  Json json;
  json["id"] = record.id;
  json["status"] = point_status_name(record.status);
  if (!record.message.empty()) json["message"] = record.message;
  json["cells"] = Json::array();
  for (const auto& cell : record.cells) json["cells"].push_back(json_of(cell));
  json["wall_s"] = record.wall_s;
  json["max_rss_bytes"] = record.max_rss_bytes;
  const auto text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  return digest(text) + " " + text;
}

std::optional<SweepRecord> parse_record_line(std::string_view line) {
  if (line.size() < digits + 2 || line[digits] != ' ') return std::nullopt;
  const auto text = line.substr(digits + 1);
  if (line.substr(0, digits) != digest(text)) return std::nullopt;
  const auto json = Json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("id") || !json.contains("status") || !json.contains("cells"))
    return std::nullopt;
  SweepRecord record;
  record.id = json["id"].get<std::string>();
  const auto status = std::ranges::find(statuses, json["status"].get<std::string>(), point_status_name);
  if (status == statuses.end()) return std::nullopt;
  record.status = *status;
  record.message = json.value("message", "");
  for (const auto& cell : json["cells"]) record.cells.push_back(cell_of(cell));
  record.wall_s = json.value("wall_s", 0.0);
  record.max_rss_bytes = json.value("max_rss_bytes", std::int64_t{0});
  return record;
}

RecordWriter::~RecordWriter() {
  if (fd_ < 0) return;
  fdatasync(fd_);
  close(fd_);
}

void RecordWriter::append(const SweepRecord& record) {
  using Clock = std::chrono::steady_clock;
  const auto fail = [&] { throw ResultLost(fmt::format("cannot write {}: {}", file_.string(), std::strerror(errno))); };
  if (fd_ < 0) {
    const auto time = std::chrono::system_clock::now().time_since_epoch().count();
    file_ = directory_ / fmt::format("records.{}.{}.{}.jsonl", host_name(), getpid(), time);
    fd_ = open(file_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
    if (fd_ < 0) fail();
    flushed_ = Clock::now();
  }
  const auto line = record_line(record) + "\n";
  ssize_t written = 0;
  do written = write(fd_, line.data(), line.size());
  while (written < 0 && errno == EINTR);
  if (written >= 0 && static_cast<std::size_t>(written) < line.size()) errno = ENOSPC;
  if (written != std::ssize(line)) fail();
  if (Clock::now() - flushed_ > flush_interval) flush();
}

void RecordWriter::flush() {
  if (fd_ < 0) return;
  if (fdatasync(fd_) != 0 && errno != EINVAL)
    throw ResultLost(fmt::format("cannot write {}: {}", file_.string(), std::strerror(errno)));
  flushed_ = std::chrono::steady_clock::now();
}

RecordSet read_records(const fs::path& directory) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const fs::path& entry : entries_of(directory, error)) {
    const auto name = entry.filename().string();
    if (name.starts_with("records.") && name.ends_with(".jsonl")) files.push_back(entry);
  }
  if (error) throw OutputError(fmt::format("cannot read {}: {}", directory.string(), error.message()));
  std::ranges::sort(files);
  RecordSet set;
  std::map<std::string, std::string> places;
  for (const auto& file : files) {
    std::ifstream in(file, std::ios::binary);
    if (!in) throw OutputError(fmt::format("cannot read {}: {}", file.string(), std::strerror(errno)));
    std::string line;
    for (int number = 1; std::getline(in, line); ++number) {
      // A last line without a newline was cut short, even if it is readable.
      auto record = in.eof() ? std::nullopt : parse_record_line(line);
      if (record)
        take(set, places, std::move(*record), fmt::format("{}:{}", file.filename().string(), number));
      else
        ++set.damaged_lines;
    }
  }
  return set;
}

} // namespace gradflight
