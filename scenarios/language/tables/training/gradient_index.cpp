#include "scenarios/language/tables/training/gradient_index.hpp"

#include "base/digest.hpp"
#include "scenarios/language/json/json_reader.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <mutex>

namespace gradflight {

namespace fs = std::filesystem;

namespace {

constexpr int plain_version = 1, packed_version = 2; ///< versions of .npy and of .npy.gz files

/// Returns the whole number at `key` if it is at least 1.
std::optional<std::int64_t> count_at(const Node& index, const char* key) {
  const auto* node = index.find(key);
  if (node == nullptr || node->kind != Node::Kind::integer || node->integer < 1) return std::nullopt;
  return node->integer;
}

/// Returns what is wrong with the first file that is missing or cannot hold its values; empty if none is. The size of a
/// packed file says nothing.
std::string wrong_file(const GradientFiles& files) {
  constexpr std::int64_t value_bytes = 4, shortest_header = 64, longest_header = 65536;
  for (std::size_t point = 0; point < files.points.size(); ++point) {
    for (int worker = 0; worker < files.workers; ++worker) {
      const std::string path = files.path(point, worker);
      std::error_code missing;
      const auto bytes = static_cast<std::int64_t>(fs::file_size(path, missing));
      if (missing) return fmt::format("{}: {}", path, missing.message());
      const std::int64_t header = bytes - value_bytes * files.elements;
      if (files.extension == ".npy" && (header < shortest_header || header > longest_header))
        return fmt::format("{}: has {} bytes, but {} values of float32 take {} and a header", path, bytes,
                           files.elements, value_bytes * files.elements);
    }
  }
  return {};
}

} // namespace

GradientIndex read_gradient_index(const std::string& directory) {
  GradientIndex result;
  std::error_code ignored; // reading the file reports errors, such as too long a path
  const bool workload_directory = fs::exists(fs::path(directory) / "gradients" / "index.json", ignored);
  result.files.directory = (workload_directory ? fs::path(directory) / "gradients" : fs::path(directory)).string();
  const std::string path = (fs::path(result.files.directory) / "index.json").string();
  const auto fail = [&](const std::string& why) {
    result.error = fmt::format("{}: {}", path, why);
    return result;
  };
  const auto content = read_file(path);
  if (!content.error.empty()) return fail(content.error);
  Sources sources;
  std::vector<Problem> problems;
  const auto index = parse_json(content.text, sources.add(path), problems);
  if (!index) return fail(problems.front().message);
  const auto* format = index->find("format");
  if (format == nullptr || format->text != "gradflight-gradients")
    return fail("\"format\" must be \"gradflight-gradients\"");
  const auto version = count_at(*index, "version"), elements = count_at(*index, "elements"),
             workers = count_at(*index, "workers");
  if (!version || (*version != plain_version && *version != packed_version))
    return fail(fmt::format("\"version\" is {}; expected {} or {}",
                            version ? std::to_string(*version) : "no whole number", plain_version, packed_version));
  if (*version == packed_version) result.files.extension = ".npy.gz";
  if (!elements || !workers || *workers > 1'000'000)
    return fail("\"elements\" and \"workers\" must be whole numbers from 1");
  result.files.elements = *elements;
  result.files.workers = static_cast<int>(*workers);
  const auto* points = index->find("points");
  if (points == nullptr || points->kind != Node::Kind::list || points->items.empty())
    return fail("\"points\" must name at least one point");
  for (const Node& point : points->items) {
    const auto* name = point.kind == Node::Kind::object ? point.find("name") : nullptr;
    const bool plain = name != nullptr && name->kind == Node::Kind::text && !name->text.empty() &&
                       name->text.find_first_of("/\\") == std::string::npos && name->text != "..";
    if (!plain) return fail("the \"name\" of a point must be the name of a directory");
    result.files.points.push_back(name->text);
  }
  if (const Node* tensors = index->find("tensors")) {
    for (const Node& tensor : tensors->items) {
      const auto size = tensor.kind == Node::Kind::object ? count_at(tensor, "elements") : std::nullopt;
      if (!size) return fail("each of \"tensors\" must have \"elements\", a whole number from 1");
      result.files.tensors.push_back(*size);
    }
  }
  if (const std::string wrong = wrong_file(result.files); !wrong.empty()) result.error = wrong;
  return result;
}

namespace {

/// A file of a capture, with the data that detects changes of it.
struct FileState {
  fs::path path;
  std::uintmax_t bytes = 0;
  fs::file_time_type written{};
  friend bool operator==(const FileState&, const FileState&) = default;
};

std::vector<FileState> files_of(const GradientFiles& files) {
  std::vector<FileState> all;
  for (std::size_t point = 0; point < files.points.size(); ++point) {
    for (int w = 0; w < files.workers; ++w) {
      FileState file{files.path(point, w)};
      std::error_code unreadable; // an unreadable file counts as empty
      file.bytes = fs::file_size(file.path, unreadable);
      file.written = fs::last_write_time(file.path, unreadable);
      all.push_back(std::move(file));
    }
  }
  return all;
}

std::string content_of(const GradientFiles& files) {
  Digest all;
  std::vector<char> buffer(1 << 20);
  for (std::size_t point = 0; point < files.points.size(); ++point) {
    all.add({files.points[point].data(), files.points[point].size() + 1});
    for (int w = 0; w < files.workers; ++w) {
      std::ifstream file(files.path(point, w), std::ios::binary);
      while (file) {
        file.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
        all.add({buffer.data(), static_cast<std::size_t>(file.gcount())});
      }
    }
  }
  return all.text();
}

/// Caches the digest of each folder until its files change, because every point of a sweep asks for it.
class Contents {
public:
  std::string digest(const GradientFiles& files) {
    auto seen = files_of(files);
    const std::lock_guard lock(mutex_);
    auto& known = known_[files.directory];
    if (known.files != seen || known.points != files.points) known = {std::move(seen), files.points, content_of(files)};
    return known.content;
  }

private:
  struct CachedContent {
    std::vector<FileState> files;
    std::vector<std::string> points;
    std::string content;
  };
  std::mutex mutex_;
  std::map<std::string, CachedContent> known_;
};

} // namespace

std::string gradient_content(const GradientFiles& files) {
  static Contents contents; // only a cache: it does not change the results
  return contents.digest(files);
}

} // namespace gradflight
