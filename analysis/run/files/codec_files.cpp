#include "analysis/run/files/codec_files.hpp"

#include "base/input_file.hpp"
#include "scenarios/language/json/diagnostics.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <span>
#include <string_view>

namespace gradflight {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_file(const fs::path& path, const std::string& why) {
  throw InputErrors({{path.string(), 0, 0, "", why}});
}

bool begins_with(const fs::path& path, std::string_view opening) {
  return read_file(path, opening.size()).text == opening;
}

bool holds_tensor(const fs::path& path) { return begins_with(path, "\x93NUMPY"); }
bool holds_gzip(const fs::path& path) { return begins_with(path, "\x1f\x8b"); } // possibly a captured tensor

bool named_as_tensor(const fs::path& path) {
  const fs::path name = path.filename();
  return name.extension() == ".npy" || (name.extension() == ".gz" && name.stem().extension() == ".npy");
}

} // namespace

NpyTensor read_tensor(const fs::path& path) {
  try {
    return read_npy(path);
  } catch (const NpyError& error) {
    refuse_file(path, error.what());
  }
}

std::vector<std::byte> read_bytes(const fs::path& path) {
  const FileText content = read_file(path, std::numeric_limits<std::size_t>::max());
  if (!content.error.empty()) refuse_file(path, content.error);
  const auto bytes = std::as_bytes(std::span(content.text));
  return {bytes.begin(), bytes.end()};
}

std::vector<fs::path> tensor_files(const fs::path& path) {
  if (std::error_code ignored; !fs::is_directory(path, ignored)) return {path};
  std::vector<fs::path> files;
  const FilesBelow below = files_below(path);
  if (!below.error.empty()) refuse_file(below.unread, below.error);
  std::ranges::copy_if(below.files, std::back_inserter(files), named_as_tensor);
  if (files.empty()) refuse_file(path, "holds no .npy or .npy.gz files");
  return files;
}

void require_writable(const fs::path& out, const fs::path& in, CodecOutput output) {
  std::error_code ignored;
  if (fs::equivalent(out, in, ignored))
    throw OutputError(fmt::format("{} is the input; give another name", out.string()));
  if (!fs::is_regular_file(out, ignored) || fs::file_size(out, ignored) == 0) return;
  const auto refuse_over = [&](const char* what) {
    throw OutputError(fmt::format("{} exists and is {}; give another name", out.string(), what));
  };
  const bool tensor = holds_tensor(out);
  if (output == CodecOutput::tensor && !tensor) refuse_over("not a .npy file");
  if (output == CodecOutput::bytes && holds_gzip(out)) refuse_over("a gzip file");
  if (output == CodecOutput::bytes && tensor) refuse_over("a .npy tensor");
}

void write_bytes(OutputFile& file, std::span<const std::byte> bytes) {
  file.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

void write_tensor(OutputFile& file, std::span<const std::size_t> shape, std::span<const float> values) {
  write_bytes(file, npy_header(shape));
  write_bytes(file, std::as_bytes(values));
}

} // namespace gradflight
