// Real gradients of an exchange of chosen chunks (GradientFlow Sec. 3.2, Algorithm 1; docs/data-plane.md).
//
// A worker begins an exchange with gradient + history. What it does not send is kept as the next history, times the
// momentum; important chunks are reduced and leave nothing behind. Then every worker takes the L1 norm of each chunk
// (of the reduced gradient, divided by the workers, where it is important; else of its own), the norms are summed, and
// the chunks of the largest sums are the next exchange's.
#pragma once

#include "sim/training/job.hpp"

#include <span>
#include <vector>

namespace gradflight {

/// Elements, ranks and buckets are counted with a sign, and are places in vectors here.
inline std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

class ChunkData {
public:
  /// What outlives a phase.
  struct Memory {
    std::vector<std::vector<float>> history; ///< by worker: what it has not sent
    std::vector<float> norms;                ///< of the last exchange, summed over the workers; none: empty
  };
  /// `chunks`: of the job's programs; this chooses them, exchange by exchange.
  ChunkData(const Job& job, ChunkSteps& chunks, Memory memory);

  /// Fills in what a worker brings to a bucket's exchange; its own new gradient counts at its first bucket.
  void start(int worker, int bucket, std::int64_t exchange, std::span<const float> gradient,
             std::vector<float>& values);
  /// A worker has a bucket's reduced values.
  void reduced(int worker, int bucket, std::int64_t exchange, std::span<const float> values);
  /// A rank has the summed norms: the first one's choose the next exchange's chunks, all others' must be the same.
  void choose(std::int64_t exchange, std::span<const float> norms);
  /// The gradient that a worker updates with: reduced in important chunks, zero elsewhere.
  [[nodiscard]] std::vector<float> aggregate(int worker, std::int64_t exchange) const;

  [[nodiscard]] double sent_mass() const { return sent_mass_; }   ///< L1 of what all workers have sent
  [[nodiscard]] double whole_mass() const { return whole_mass_; } ///< L1 of what they had to send
  Memory take_memory() { return {std::move(histories_), std::move(norms_)}; }

private:
  const codec::csc::Pool& pool() const { return chunks_.pool(); }

  const Job& job_;
  ChunkSteps& chunks_;
  float momentum_;
  std::vector<std::vector<float>> gradients_, histories_; ///< by worker
  std::vector<std::int64_t> exchanges_;                   ///< of gradients_
  std::vector<float> norms_;
  std::int64_t chosen_ = 0; ///< the last exchange whose chunks are chosen
  double sent_mass_ = 0, whole_mass_ = 0;
};

} // namespace gradflight
