#include "models/codecs/selection/csc.hpp"

#include "models/codecs/selection/sparse.hpp"
#include "models/codecs/selection/topk_entries.hpp"

#include <algorithm>
#include <cmath>

namespace gradflight::codec::csc {
namespace {

template <class Visit> void for_important(const Pool& pool, const Chunks& important, Visit visit) {
  for (std::size_t chunk = 0; chunk < pool.chunks(); ++chunk)
    if (important[chunk]) visit(pool.begin(chunk), pool.end(chunk));
}

} // namespace

std::size_t Pool::end(std::size_t chunk) const { return std::min(elements, begin(chunk) + chunk_elements); }

std::size_t payload_elements(const Pool& pool, const Chunks& important) {
  std::size_t sum = 0;
  for_important(pool, important, [&](std::size_t begin, std::size_t end) { sum += end - begin; });
  return sum;
}

void correct_momentum(const Pool& pool, const Chunks& important, float momentum, std::span<float> gradient,
                      std::span<float> history) {
  for (std::size_t chunk = 0; chunk < pool.chunks(); ++chunk) {
    for (std::size_t i = pool.begin(chunk); i < pool.end(chunk); ++i) {
      gradient[i] += history[i];
      history[i] = important[chunk] ? 0.0f : momentum * gradient[i];
    }
  }
}

std::vector<float> gather(const Pool& pool, const Chunks& important, std::span<const float> gradient) {
  std::vector<float> payload;
  payload.reserve(payload_elements(pool, important));
  for_important(pool, important, [&](std::size_t begin, std::size_t end) {
    const auto part = gradient.subspan(begin, end - begin);
    payload.insert(payload.end(), part.begin(), part.end());
  });
  return payload;
}

void scatter(const Pool& pool, const Chunks& important, std::span<const float> payload, std::span<float> gradient) {
  for_important(pool, important, [&](std::size_t begin, std::size_t end) {
    std::copy_n(payload.begin(), end - begin, gradient.subspan(begin).begin());
    payload = payload.subspan(end - begin);
  });
}

std::vector<float> chunk_norms(const Pool& pool, const Chunks& important, std::size_t workers,
                               std::span<const float> gradient) {
  std::vector<float> norms(pool.chunks());
  for (std::size_t chunk = 0; chunk < norms.size(); ++chunk) {
    double sum = 0;
    for (std::size_t i = pool.begin(chunk); i < pool.end(chunk); ++i)
      sum += std::fabs(static_cast<double>(gradient[i]));
    norms[chunk] = static_cast<float>(important[chunk] ? sum / static_cast<double>(workers) : sum);
  }
  return norms;
}

std::size_t important_chunks(double density, std::size_t chunks) {
  const double share = std::ceil(share_of(density, static_cast<double>(chunks)));
  return std::clamp<std::size_t>(static_cast<std::size_t>(share), std::min<std::size_t>(1, chunks), chunks);
}

Chunks select(std::span<const float> norms, double density) {
  Chunks important(norms.size(), false);
  const SparseVector kept = simd::select_largest(norms, important_chunks(density, norms.size()));
  for (const std::uint32_t chunk : kept.indices) important[chunk] = true;
  return important;
}

void update(const Pool& pool, const Chunks& important, float momentum, float rate, std::span<const float> gradient,
            std::span<float> velocity, std::span<float> weights) {
  for_important(pool, important, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      velocity[i] = momentum * velocity[i] + rate * gradient[i];
      weights[i] -= velocity[i];
    }
  });
}

} // namespace gradflight::codec::csc
