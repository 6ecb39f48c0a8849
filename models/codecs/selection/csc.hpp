// Coarse-grained sparse communication (GradientFlow, Sun et al. 2019, Sec. 3.2, Algorithm 1) as pure functions: the
// gradient pool is cut into chunks, and only those important by their L1 norm are sent, as plain float32 in chunk order
// (their indices are known to all). The caller sends and reduces; every worker then calls the same functions.
//
// Not lossless, other than the paper says: an unsent gradient is kept, but shrinks by the momentum in every step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gradflight::codec::csc {

/// Which chunks are sent; one entry a chunk.
using Chunks = std::vector<bool>;

struct Pool {
  std::size_t elements = 0;
  std::size_t chunk_elements = 32000; ///< the paper's chunk counts imply 32,000, not 32,768

  [[nodiscard]] std::size_t chunks() const { return (elements + chunk_elements - 1) / chunk_elements; }
  [[nodiscard]] std::size_t begin(std::size_t chunk) const { return chunk * chunk_elements; }
  [[nodiscard]] std::size_t end(std::size_t chunk) const; ///< the last chunk may be shorter
};

/// Elements of the chunks that are sent.
std::size_t payload_elements(const Pool& pool, const Chunks& important);

/// gradient += history; then history = 0 in important chunks and momentum * gradient elsewhere.
void correct_momentum(const Pool& pool, const Chunks& important, float momentum, std::span<float> gradient,
                      std::span<float> history);

/// The important chunks one after the other, and back into the gradient once they are reduced.
std::vector<float> gather(const Pool& pool, const Chunks& important, std::span<const float> gradient);
void scatter(const Pool& pool, const Chunks& important, std::span<const float> payload, std::span<float> gradient);

/// L1 norm of every chunk of a gradient in which the important chunks are reduced (a sum over `workers`, so their norm
/// is divided by it) and the others this worker's own. Summed in double by ascending index. All-reduce the result.
std::vector<float> chunk_norms(const Pool& pool, const Chunks& important, std::size_t workers,
                               std::span<const float> gradient);

/// How many chunks are important: ceil(density chunks), at least 1.
std::size_t important_chunks(double density, std::size_t chunks);

/// The next important chunks: the important_chunks() of largest norm; ties to the lower chunk.
Chunks select(std::span<const float> norms, double density);

/// Density of a step: all chunks in step 0, then sparsity (1 - density) grows linearly until step `warm_up_steps`.
double density_at(std::uint64_t step, std::uint64_t warm_up_steps, double final_density);

/// In important chunks: velocity = momentum * velocity + rate * gradient, weights -= velocity; others stay as they are.
/// (The paper prints w + u.) The gradient is the sum over the workers; divide in the rate.
void update(const Pool& pool, const Chunks& important, float momentum, float rate, std::span<const float> gradient,
            std::span<float> velocity, std::span<float> weights);

} // namespace gradflight::codec::csc
