// NumPy's .npy files (format 1.0 to 3.0, NEP 1) of little-endian float32 in C order, plain or within gzip (.npy.gz):
// the tensors that codecs read; they write plain ones. Everything else is refused with the reason.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <vector>

namespace gradflight {

/// A file that is no such tensor, or cannot be read; the text says why, without the file's name.
class NpyError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct NpyTensor {
  std::vector<std::size_t> shape; ///< empty: a scalar, one value
  std::vector<float> values;
};

/// A whole file's bytes.
NpyTensor parse_npy(std::span<const std::byte> file);
NpyTensor read_npy(const std::filesystem::path& path);

/// What stands before the values, as numpy.save writes it.
std::vector<std::byte> npy_header(std::span<const std::size_t> shape);

} // namespace gradflight
