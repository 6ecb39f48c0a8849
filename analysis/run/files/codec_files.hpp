// The files of `codec`: tensors and encoded bytes, read with their complaints, and not written over one another.
#pragma once

#include "analysis/run/files/output_file.hpp"
#include "workloads/code/npy.hpp"

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

namespace gradflight {

/// Throws InputErrors with what is wrong with the file.
NpyTensor read_tensor(const std::filesystem::path& path);
std::vector<std::byte> read_bytes(const std::filesystem::path& path);

/// The tensors of a directory and those below it, by path; the file itself where it is none. Throws InputErrors.
std::vector<std::filesystem::path> tensor_files(const std::filesystem::path& path);

enum class CodecOutput { bytes, tensor };

/// Slips that would cost a tensor: writing over the input, encoded bytes over a tensor, or a tensor over anything else.
/// Throws OutputError.
void require_writable(const std::filesystem::path& out, const std::filesystem::path& in, CodecOutput output);

void write_bytes(OutputFile& file, std::span<const std::byte> bytes);
void write_tensor(OutputFile& file, std::span<const std::size_t> shape, std::span<const float> values);

} // namespace gradflight
