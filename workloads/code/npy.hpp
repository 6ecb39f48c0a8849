// NumPy's .npy files (format 1.0 to 3.0, NEP 1) of little-endian float32 in C order, plain or compressed by gzip
// (.npy.gz). Codecs read these tensors, and write plain ones. Other content is rejected with the reason.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <vector>

namespace gradflight {

/// The file is not such a tensor, or cannot be read. The text gives the reason, without the name of the file.
class NpyError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct NpyTensor {
  std::vector<std::size_t> shape; ///< empty: a scalar with one value
  std::vector<float> values;
};

/// Parses the bytes of a whole file.
NpyTensor parse_npy(std::span<const std::byte> file);
NpyTensor read_npy(const std::filesystem::path& path);

/// Returns the bytes before the values, as numpy.save writes them.
std::vector<std::byte> npy_header(std::span<const std::size_t> shape);

} // namespace gradflight
