// Real tensors through a plan: every hop forms, encodes and decodes partial sums as the system does, and a message
// weighs what its block is encoded to.
//
// * Rings, doubling, halving, trees, hierarchies: the sender encodes the range it sends. The receiver decodes it and
//   takes it or adds it (float32) to its own. So each hop encodes partial aggregates again (INCEPTIONN, Pipe-SGD).
// * Parameter servers: each worker encodes its push, with a residual of its own where the codec keeps one. The server
//   encodes its shard once and all workers share those bytes (3LC Sec. 3), relays of a binomial pull included. A codec
//   in the NIC sees messages, not shards: it encodes each one again, also relayed ones, but none that stays in its
//   node.
// * Tensors left out of the compression travel uncompressed; the rest of a block is encoded as one stream.
// * Top-k: each worker selects from gradient + residual. All-gather: every worker sums all lists. gTop-k: lists merge
//   on the way; selected entries that do not survive go back to the residual (Algorithm 4).
// * Chosen chunks: chunk_data.hpp.
//
// Iteration i uses capture point (number of its exchange, counted over all phases) mod (number of points).
#pragma once

#include "models/codecs/parts/codec.hpp"
#include "models/codecs/selection/selection.hpp"
#include "sim/data/chunk_data.hpp"
#include "sim/data/selection_audit.hpp"
#include "sim/training/job.hpp"
#include "workloads/code/gradients.hpp"

#include <deque>
#include <memory>
#include <unordered_map>

namespace gradflight {

class DataPlane {
public:
  /// `exchanges_before`: in the phases before this one.
  /// `memory`: from the previous phase.
  DataPlane(const Job& job, std::int64_t exchanges_before, ChunkData::Memory memory);
  ~DataPlane();

  /// `rank` sends the range in `op`: keeps the contents for receive() and returns the bytes on the wire.
  double send(const StepOp& op, int rank, std::uint32_t message);
  void receive(const StepOp& op, int rank, std::uint32_t message);
  /// `rank` has ended the exchange of a bucket.
  void finished(int rank, int bucket, std::int64_t iteration);
  /// Closes the last exchange and returns all counts.
  DataResult finish();
  /// Returns the buckets that real gradients choose; null where exchanges send all gradients.
  [[nodiscard]] const ChosenBuckets* chosen() const { return chunks_ ? &chunks_->chosen() : nullptr; }
  ChunkData::Memory take_memory() { return chunks_ ? chunks_->take_memory() : ChunkData::Memory{}; }

private:
  struct Content {
    std::vector<float> values; ///< decoded
    std::vector<codec::SparseVector> lists;
    double wire = 0;
  };
  using Shared = std::shared_ptr<const Content>;
  /// A rank's part in the exchange of a bucket.
  struct State {
    std::int64_t iteration = -1;
    std::vector<float> values;
    std::vector<codec::SparseVector> lists;          ///< top-k: by worker; gTop-k: the current list
    codec::SparseVector selected;                    ///< top-k: by this worker
    std::vector<float> residual;                     ///< kept from exchange to exchange
    std::unordered_map<std::int64_t, Shared> pulled; ///< pull leg: by first element; relays send these bytes unchanged
  };

  State& open(int rank, int bucket, std::int64_t iteration);
  void close(int rank, int bucket, State& state);
  void compare(std::span<const float> aggregate, std::span<const double> exact);
  void set_errors();
  /// They throw SimulationFailure if a file cannot be read.
  std::span<const float> gradient(std::int64_t iteration, int worker);
  std::span<const double> exact_sum(std::int64_t iteration);
  void start(int rank, int bucket, State& state);
  Shared encode(const StepOp& op, State& state);
  std::size_t encode(std::span<const float> values, std::span<float> residual, std::span<float> decoded);
  double encode_parts(std::span<const float> values, std::span<float> residual, std::span<float> decoded);
  void count(std::int64_t iteration, bool pull, double payload, double wire);
  [[nodiscard]] std::size_t point(std::int64_t iteration) const;
  [[nodiscard]] std::size_t entries(int bucket) const;

  const Job& job_;
  std::int64_t exchanges_before_;
  Gradients gradients_;
  std::unique_ptr<codec::Codec> codec_; ///< null: values travel as they are
  bool topk_ = false, gtopk_ = false;
  std::optional<SelectionAudit> audit_;     ///< top-k exchanges
  std::optional<ChunkData> chunks_;         ///< where chunks are chosen
  std::vector<State> states_;               ///< [rank * buckets + bucket]
  std::vector<std::int64_t> first_element_; ///< of each bucket, in gradient order
  std::unordered_map<std::uint32_t, Shared> under_way_;
  std::vector<std::byte> bytes_;
  WireWeight::Parts parts_;              ///< of the block being encoded
  std::vector<float> gathered_, passed_; ///< compressed elements of the block, before and after the codec
  std::vector<float> gathered_residual_;
  std::uint64_t encoded_ = 0; ///< numbers the messages, for codecs that draw
  DataResult result_;
  double max_error_ = 0, error_squares_ = 0, exact_squares_ = 0, error_sum_ = 0, compared_ = 0;
};

} // namespace gradflight
