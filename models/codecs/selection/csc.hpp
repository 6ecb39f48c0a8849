// Coarse-grained sparse communication (GradientFlow, Sun et al. 2019, Sec. 3.2, Algorithm 1) as pure functions. The
// gradient pool is divided into chunks. Only chunks with a large L1 norm are sent, as plain float32 in chunk order; all
// workers know their indices. The caller sends and reduces; every worker then calls the same functions.
//
// Contrary to the paper, this is not lossless: an unsent gradient is kept, but the momentum shrinks it in every step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gradflight::codec::csc {

/// Which chunks are sent; one entry per chunk.
using Chunks = std::vector<bool>;

struct Pool {
  std::size_t elements = 0;
  std::size_t chunk_elements = 32000; ///< the paper's chunk counts imply 32,000, not 32,768

  [[nodiscard]] std::size_t chunks() const { return (elements + chunk_elements - 1) / chunk_elements; }
  [[nodiscard]] std::size_t begin(std::size_t chunk) const { return chunk * chunk_elements; }
  [[nodiscard]] std::size_t end(std::size_t chunk) const; ///< the last chunk may be shorter
};

/// Returns the number of elements in the chunks that are sent.
std::size_t payload_elements(const Pool& pool, const Chunks& important);

/// Computes gradient += history. Then history becomes 0 in important chunks and momentum * gradient in others.
void correct_momentum(const Pool& pool, const Chunks& important, float momentum, std::span<float> gradient,
                      std::span<float> history);

/// gather() joins the important chunks; scatter() copies them back into the gradient after they are reduced.
std::vector<float> gather(const Pool& pool, const Chunks& important, std::span<const float> gradient);
void scatter(const Pool& pool, const Chunks& important, std::span<const float> payload, std::span<float> gradient);

/// Returns the L1 norm of every chunk of a gradient. The important chunks hold a sum over `workers`, so their norms are
/// divided by it; other chunks hold this worker's own gradient. Sums use double, by ascending index. The caller must
/// all-reduce the result.
std::vector<float> chunk_norms(const Pool& pool, const Chunks& important, std::size_t workers,
                               std::span<const float> gradient);

/// Returns the number of important chunks: ceil(density chunks), at least 1.
std::size_t important_chunks(double density, std::size_t chunks);

/// Returns the next important chunks: the important_chunks() with the largest norms; the lower chunk wins a tie.
Chunks select(std::span<const float> norms, double density);

/// In important chunks: velocity = momentum * velocity + rate * gradient, weights -= velocity. Other chunks do not
/// change. (The paper prints w + u.) The gradient is the sum over the workers; include the division in the rate.
void update(const Pool& pool, const Chunks& important, float momentum, float rate, std::span<const float> gradient,
            std::span<float> velocity, std::span<float> weights);

} // namespace gradflight::codec::csc
