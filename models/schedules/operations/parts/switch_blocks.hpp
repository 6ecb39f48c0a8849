// Blocks in chunks through a switch that sums and multicasts: member p, between p ranks.
//
// The lanes are turns of one pipeline: a lane carries chunk after chunk from all ranks to the switch, or from it to all
// ranks. A chunk begins a lane when the lane before has delivered it. Chunk c of a message is chunk c of its blocks.
#pragma once

#include "models/schedules/operations/parts/group_blocks.hpp"

#include <vector>

namespace gradflight {

/// The blocks between a rank and the switch in a lane.
enum class SwitchLoad : std::uint8_t {
  own,    ///< the rank's block
  others, ///< all blocks but the rank's
  all     ///< all blocks
};
struct SwitchTurn {
  bool up = false; ///< to the switch
  SwitchLoad load = SwitchLoad::all;
  bool sums = false; ///< the switch takes the first rank's data and adds the others'
};

class SwitchBlocks final : public GroupSchedule {
public:
  SwitchBlocks(const GroupSpec& spec, std::vector<SwitchTurn> turns);
  [[nodiscard]] int ranks() const override { return p_; }
  [[nodiscard]] int members() const override { return p_ + 1; }
  [[nodiscard]] int lanes() const override { return static_cast<int>(turns_.size()); }
  [[nodiscard]] std::int64_t steps(int, int member) const override { return member < p_ ? chunks_ : chunks_ * p_; }
  [[nodiscard]] LaneStep step(int lane, int member, std::int64_t index) const override;
  void contents(int lane, int member, std::int64_t index, std::vector<Piece>& pieces) const override;

private:
  [[nodiscard]] Range part(int block, std::int64_t c) const;
  [[nodiscard]] std::int64_t count(SwitchLoad load, int rank, std::int64_t c) const;
  int p_;
  GroupBlocks blocks_;
  std::int64_t chunk_, chunks_ = 1;
  std::vector<SwitchTurn> turns_;
};

} // namespace gradflight
