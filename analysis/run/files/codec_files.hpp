// Files of `codec`: tensors and encoded bytes. Reading reports mistakes; writing does not overwrite other files.
#pragma once

#include "analysis/run/files/output_file.hpp"
#include "workloads/code/npy.hpp"

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

namespace gradflight {

/// Throws InputErrors if the file is not valid.
NpyTensor read_tensor(const std::filesystem::path& path);
std::vector<std::byte> read_bytes(const std::filesystem::path& path);

/// Returns the tensors of a directory and its subdirectories, sorted by path. For a file, returns the file. Throws
/// InputErrors.
std::vector<std::filesystem::path> tensor_files(const std::filesystem::path& path);

enum class CodecOutput { bytes, tensor };

/// Rejects mistakes that would destroy a tensor: output onto the input, encoded bytes onto a tensor, or a tensor onto
/// any other file. Throws OutputError.
void require_writable(const std::filesystem::path& out, const std::filesystem::path& in, CodecOutput output);

void write_bytes(OutputFile& file, std::span<const std::byte> bytes);
void write_tensor(OutputFile& file, std::span<const std::size_t> shape, std::span<const float> values);

} // namespace gradflight
