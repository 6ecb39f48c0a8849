// Real gradients of an exchange of chosen chunks (GradientFlow Sec. 3.2, Algorithm 1; docs/data-plane.md).
//
// A worker begins an exchange with gradient + history. It keeps what it does not send, times the momentum, as the next
// history; important chunks are reduced and leave no history. Then every worker takes the L1 norm of each chunk. For
// important chunks that is the norm of the reduced gradient divided by the number of workers, for others of the
// worker's own gradient. The norms are summed, and the next exchange sends the chunks with the largest sums.
#pragma once

#include "sim/data/chunk_steps.hpp"
#include "sim/training/job.hpp"

#include <span>
#include <vector>

namespace gradflight {

/// Elements, ranks and buckets have signed numbers; this converts one to a vector index.
inline std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

class ChunkData {
public:
  /// The state that passes from one phase to the next.
  struct Memory {
    std::vector<std::vector<float>> history; ///< by worker: what it has not sent
    std::vector<float> norms; ///< of the last exchange, summed over the workers; empty before the first one
  };
  ChunkData(const Job& job, Memory memory);

  /// The buckets of each exchange. An exchange is asked for after the one before it has chosen its chunks.
  [[nodiscard]] const ChosenBuckets& chosen() const { return chunks_; }

  /// Fills in what a worker brings to a bucket's exchange. Its own new gradient counts from its first bucket on.
  void start(int worker, int bucket, std::int64_t exchange, std::span<const float> gradient,
             std::vector<float>& values);
  void reduced(int worker, int bucket, std::int64_t exchange, std::span<const float> values);
  /// A rank has received the summed norms. The first choose the next exchange's chunks; all others must agree.
  void choose(std::int64_t exchange, std::span<const float> norms);
  /// Returns the gradient that a worker updates with: reduced in important chunks, zero elsewhere.
  [[nodiscard]] std::vector<float> aggregate(int worker, std::int64_t exchange) const;

  [[nodiscard]] double sent_mass() const { return sent_mass_; }   ///< L1 of what all workers have sent
  [[nodiscard]] double whole_mass() const { return whole_mass_; } ///< L1 of what all workers had to send
  Memory take_memory() { return {std::move(histories_), std::move(norms_)}; }

private:
  const codec::csc::Pool& pool() const { return chunks_.pool(); }

  const Job& job_;
  ChunkSteps chunks_;
  float momentum_;
  std::vector<std::vector<float>> gradients_, histories_; ///< by worker
  std::vector<std::int64_t> exchanges_;                   ///< the exchange that gradients_ belong to
  std::vector<float> norms_;
  std::int64_t chosen_ = 0; ///< the last exchange with chosen chunks
  double sent_mass_ = 0, whole_mass_ = 0;
};

} // namespace gradflight
