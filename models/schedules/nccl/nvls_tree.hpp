// All-reduce with NVLS in the nodes and trees between them: NCCL's NVLS tree.
//
// The vector has a block for each head, a GPU of every node that reaches the network. A node's NVSwitch adds up its
// GPUs' blocks and gives each sum to its head. The heads of a block reduce it along a tree over the nodes; the root
// sends the sum down. Each head gives it to its switch, which multicasts it to the node's other GPUs. Half of the
// vector uses NCCL's tree 0, half tree 1 (trees.cc). Chunks follow each other through these six turns; each turn is a
// lane. Source: NCCL 2.30.7 (Apache-2.0), src/device/all_reduce.h (NVLS_TREE).
#pragma once

#include "models/schedules/operations/parts/group_schedule.hpp"

#include <array>

namespace gradflight {

struct NvlsTreeSpec {
  int nodes = 2, gpus = 1;              ///< GPUs of each node
  std::vector<int> heads{};             ///< GPU numbers in a node, each once; at least one
  std::vector<std::int16_t> nics{};     ///< of each GPU: GroupSchedule::nic; empty: the platform chooses
  std::int64_t elements = 0, chunk = 1; ///< of the vector; of a block, per step of all channels of a tree
  friend bool operator==(const NvlsTreeSpec&, const NvlsTreeSpec&) = default;
};

class NvlsTree final : public GroupSchedule {
public:
  explicit NvlsTree(NvlsTreeSpec spec);

  [[nodiscard]] int ranks() const override { return spec_.nodes * spec_.gpus; }
  /// Ranks, then the NVSwitch of each node.
  [[nodiscard]] int members() const override { return ranks() + spec_.nodes; }
  [[nodiscard]] int lanes() const override { return static_cast<int>(halves_.size()) * turns; }
  [[nodiscard]] std::int16_t nic(int lane, int member) const override;
  [[nodiscard]] std::int64_t steps(int lane, int member) const override;
  [[nodiscard]] std::int64_t periods() const override; ///< chunks
  [[nodiscard]] std::int64_t period_steps(int lane, int member) const override;
  [[nodiscard]] std::unique_ptr<GroupSchedule> shortened(std::int64_t periods) const override;
  [[nodiscard]] bool same_messages(const GroupSchedule& other) const override;
  [[nodiscard]] LaneStep step(int lane, int member, std::int64_t index) const override;
  void contents(int lane, int member, std::int64_t index, std::vector<Piece>& pieces) const override;

private:
  enum Turn : std::uint8_t { gather, to_head, up, down, from_head, multicast };
  static constexpr int turns = 6;

  /// The part of the vector on one of the two trees.
  struct Half {
    std::int64_t first = 0, elements = 0, chunks = 0;
    std::vector<int> parent;               ///< of each node; no_rank: the root
    std::vector<std::array<int, 2>> child; ///< of each node; no_rank: it has fewer children
    std::vector<std::uint8_t> children;    ///< how many
  };
  /// Position of a member.
  struct Seat {
    int node = 0, gpu = 0, head = no_rank; ///< number of the head; for the switch, gpu is `gpus`
  };

  [[nodiscard]] Seat seat(int member) const;
  [[nodiscard]] int rank(int node, int head) const {
    return node * spec_.gpus + spec_.heads[static_cast<std::size_t>(head)];
  }
  [[nodiscard]] const Half& half(int lane) const { return halves_[static_cast<std::size_t>(lane / turns)]; }
  /// Returns the range of a chunk of a head's block in the vector.
  [[nodiscard]] Range part(const Half& half, int head, std::int64_t chunk) const;
  [[nodiscard]] std::int64_t all_parts(const Half& half, std::int64_t chunk) const;
  /// Returns a member's number of messages per chunk in a turn.
  [[nodiscard]] int messages(const Half& half, Turn turn, const Seat& seat) const;
  void step_of_switch(const Half& half, int lane, const Seat& seat, std::int64_t index, LaneStep& next) const;
  void step_in_tree(const Half& half, int lane, const Seat& seat, std::int64_t index, LaneStep& next) const;

  NvlsTreeSpec spec_;
  std::vector<int> head_of_; ///< of each GPU; no_rank
  std::vector<Half> halves_; ///< those with data
};

} // namespace gradflight
