// Codecs that send the largest entries and keep the rest as residual. bitmap_sparse writes a bitmap before the values
// (3LC's "5 % sparsification", Sec. 4.2). topk writes indices before them (gTop-k, Shi et al. 2019, Algorithm 1).
#pragma once

#include "models/codecs/parts/codec.hpp"
#include "models/codecs/selection/selection.hpp"

namespace gradflight::codec {

/// Returns the number of sent entries: max(1, floor(density n)); 0 for an empty tensor.
std::size_t selected_entries(double density, std::size_t elements);

/// Selects from residual + values, or from the values if `residual` is empty; residuals of selected entries become +0.
SparseVector select_and_keep(std::span<const float> values, std::span<float> residual, std::size_t k,
                             Implementation implementation);

namespace topk {
/// Wire format: u32 k, k indices, k values.
void write(const SparseVector& entries, std::vector<std::byte>& out);
DecodeStatus read(std::span<const std::byte> bytes, std::size_t elements, SparseVector& entries);
std::unique_ptr<Codec> make(double density, Implementation implementation);
} // namespace topk

namespace bitmap_sparse {
/// Wire format: bitmap, lowest bit first, then the values of the set bits.
std::unique_ptr<Codec> make(double density, Implementation implementation);
} // namespace bitmap_sparse

} // namespace gradflight::codec
