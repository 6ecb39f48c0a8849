#include "workloads/code/npy.hpp"

#include "base/input_file.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <string_view>

#define ZLIB_CONST // its input is const
#include <zlib.h>

namespace gradflight {
namespace {

static_assert(std::endian::native == std::endian::little, "values are copied as they lie in memory");

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t alignment = 64; ///< alignment of the values, as NumPy writes them

/// Parses the header, a Python dictionary literal. Accepts only the three keys, each once, in any order.
class HeaderReader {
public:
  explicit HeaderReader(std::string_view text) : rest_(text) {}

  std::vector<std::size_t> shape() {
    bool type = false, order = false, shape = false;
    std::vector<std::size_t> found;
    expect('{');
    while (!take('}')) {
      const std::string_view key = quoted();
      expect(':');
      if (key == "descr" && !type) {
        type = true;
        if (const std::string_view t = quoted(); t != "<f4")
          throw NpyError(fmt::format("its type is '{}'; only little-endian float32 ('<f4') is read", t));
      } else if (key == "fortran_order" && !order) {
        order = true;
        if (!boolean_is_false()) throw NpyError("it is in Fortran order; save it in C order (numpy.ascontiguousarray)");
      } else if (key == "shape" && !shape) {
        shape = true;
        found = tuple();
      } else {
        throw NpyError(fmt::format("its header has an unexpected key '{}'", key));
      }
      if (!take(',')) {
        expect('}');
        break;
      }
    }
    skip_spaces();
    if (!rest_.empty()) throw NpyError("its header has text after the dictionary");
    if (!type || !order || !shape) throw NpyError("its header lacks descr, fortran_order or shape");
    return found;
  }

private:
  void skip_spaces() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\n')) rest_.remove_prefix(1);
  }

  bool take(char wanted) {
    skip_spaces();
    if (rest_.empty() || rest_.front() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void expect(char wanted) {
    if (!take(wanted)) throw NpyError(fmt::format("its header lacks a '{}'", wanted));
  }

  std::string_view quoted() {
    skip_spaces();
    const char quote = rest_.empty() ? '\0' : rest_.front();
    if (quote != '\'' && quote != '"') throw NpyError("its header lacks a quoted text");
    const std::size_t end = rest_.find(quote, 1);
    if (end == std::string_view::npos) throw NpyError("a quoted text in its header is not closed");
    const std::string_view text = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return text;
  }

  bool boolean_is_false() {
    skip_spaces();
    for (const std::string_view word : {std::string_view("False"), std::string_view("True")}) {
      if (!rest_.starts_with(word)) continue;
      rest_.remove_prefix(word.size());
      return word == "False";
    }
    throw NpyError("fortran_order in its header is neither True nor False");
  }

  std::vector<std::size_t> tuple() {
    std::vector<std::size_t> numbers;
    expect('(');
    while (!take(')')) {
      skip_spaces();
      std::size_t number = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
      if (error != std::errc()) throw NpyError("its shape is not a tuple of whole numbers");
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      numbers.push_back(number);
      if (!take(',')) {
        if (numbers.size() == 1) throw NpyError("its shape is not a tuple");
        expect(')');
        break;
      }
    }
    return numbers;
  }

  std::string_view rest_;
};

std::size_t product(const std::vector<std::size_t>& shape) {
  std::size_t count = 1;
  bool empty = false;
  for (const std::size_t extent : shape) {
    empty = empty || extent == 0;
    if (extent != 0 && count > std::numeric_limits<std::size_t>::max() / sizeof(float) / extent)
      throw NpyError("its shape has more elements than memory could hold");
    if (extent != 0) count *= extent;
  }
  return empty ? 0 : count;
}

struct Layout {
  std::vector<std::size_t> shape;
  std::size_t elements = 0, first = 0; ///< `first`: offset of the values
};

/// Returns offset and size of the header text, from a file's first 12 bytes.
std::pair<std::size_t, std::size_t> header_place(std::span<const std::byte> start) {
  if (start.size() < 10 || std::memcmp(start.data(), magic.data(), magic.size()) != 0)
    throw NpyError("it is not a .npy file");
  const auto major = std::to_integer<unsigned>(start[6]), minor = std::to_integer<unsigned>(start[7]);
  if (major < 1 || major > 3 || minor != 0)
    throw NpyError(fmt::format("its format {}.{} is unknown; expected 1.0 to 3.0", major, minor));
  if (major == 1) {
    std::uint16_t size = 0;
    std::memcpy(&size, start.data() + 8, sizeof size);
    return {10, size};
  }
  if (start.size() < 12) throw NpyError("it ends inside its header");
  std::uint32_t size = 0;
  std::memcpy(&size, start.data() + 8, sizeof size);
  return {12, size};
}

Layout layout_of(std::span<const std::byte> file) {
  const auto [at, size] = header_place(file);
  if (file.size() - at < size) throw NpyError("it ends inside its header");
  Layout layout;
  layout.shape = HeaderReader({reinterpret_cast<const char*>(file.data() + at), size}).shape();
  layout.elements = product(layout.shape);
  layout.first = at + size;
  return layout;
}

bool is_gzip(std::span<const std::byte> file) {
  return file.size() >= 2 && file[0] == std::byte{0x1f} && file[1] == std::byte{0x8b};
}

/// Decompresses one gzip member, which must be the whole file.
std::vector<std::byte> unpacked(std::span<const std::byte> file) {
  constexpr int gzip_only = 16 + MAX_WBITS;
  constexpr std::size_t piece = std::size_t{1} << 20;
  z_stream stream{};
  if (inflateInit2(&stream, gzip_only) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, int (*)(z_stream*)> ended(&stream, inflateEnd);
  std::vector<std::byte> bytes;
  std::size_t used = 0, taken = 0;
  int state = Z_OK;
  while (state == Z_OK) {
    const std::size_t in = std::min(file.size() - taken, piece);
    bytes.resize(used + piece);
    stream.next_in = reinterpret_cast<const Bytef*>(file.data() + taken);
    stream.avail_in = static_cast<uInt>(in);
    stream.next_out = reinterpret_cast<Bytef*>(bytes.data() + used);
    stream.avail_out = static_cast<uInt>(piece);
    state = inflate(&stream, Z_NO_FLUSH);
    taken += in - stream.avail_in;
    used += piece - stream.avail_out;
  }
  if (state == Z_BUF_ERROR) throw NpyError(fmt::format("its gzip data ends early, after {} unpacked bytes", used));
  if (state != Z_STREAM_END) throw NpyError(fmt::format("its gzip data is damaged, after {} unpacked bytes", used));
  if (taken != file.size()) throw NpyError("bytes follow its gzip data");
  bytes.resize(used);
  return bytes;
}

} // namespace

NpyTensor parse_npy(std::span<const std::byte> file) {
  std::vector<std::byte> from_gzip;
  if (is_gzip(file)) file = from_gzip = unpacked(file);
  Layout layout = layout_of(file);
  const std::size_t bytes = file.size() - layout.first;
  if (bytes / sizeof(float) < layout.elements)
    throw NpyError(fmt::format("it ends after {} of {} values", bytes / sizeof(float), layout.elements));
  if (bytes != layout.elements * sizeof(float)) throw NpyError("bytes follow its last value");
  NpyTensor tensor{std::move(layout.shape), std::vector<float>(layout.elements)};
  if (layout.elements > 0) std::memcpy(tensor.values.data(), file.data() + layout.first, bytes);
  return tensor;
}

NpyTensor read_npy(const std::filesystem::path& path) {
  const FileText content = read_file(path, std::numeric_limits<std::size_t>::max());
  if (!content.error.empty()) throw NpyError(content.error);
  return parse_npy(std::as_bytes(std::span(content.text)));
}

std::vector<std::byte> npy_header(std::span<const std::size_t> shape) {
  std::string text = fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}{}), }}",
                                 fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  constexpr std::size_t before = 10;
  text.append((alignment - (before + text.size() + 1) % alignment) % alignment, ' ');
  text += '\n';
  std::vector<std::byte> header(before + text.size());
  std::memcpy(header.data(), magic.data(), magic.size());
  header[6] = std::byte{1};
  const auto size = static_cast<std::uint16_t>(text.size());
  std::memcpy(header.data() + 8, &size, sizeof size);
  std::memcpy(header.data() + before, text.data(), text.size());
  return header;
}

} // namespace gradflight
