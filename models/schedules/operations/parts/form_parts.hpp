// Helpers for closed forms of operations.
#pragma once

#include "models/schedules/operations/parts/group_blocks.hpp"
#include "models/schedules/operations/parts/group_form.hpp"

#include <algorithm>
#include <vector>

namespace gradflight {

inline FormCondition equal_blocks(const GroupSpec& spec) {
  return {"equal_blocks", "all blocks are equal", spec.elements % spec.ranks == 0};
}

inline FormCondition power_of_two(int p) {
  return {"power_of_two", "the number of ranks is a power of two", is_power_of_two(p)};
}

/// Returns the number of chunks of a range of `elements`, at least one.
inline std::int64_t chunk_count(std::int64_t elements, std::int64_t chunk) {
  return chunk <= 0 || elements <= chunk ? 1 : (elements + chunk - 1) / chunk;
}

inline FormCondition equal_chunks(std::int64_t elements, std::int64_t chunk) {
  return {"equal_chunks", "the chunk size divides the data that is sent in chunks",
          chunk <= 0 || elements <= chunk || elements % chunk == 0};
}

/// Cost of `messages` latencies, `sent` elements on the wire and `added` elements added up, one after another. `more`:
/// messages beyond these that share a port with them. Their latencies pass at the same time.
inline CollectiveCost elements_cost(const FormLinks& links, double messages, double sent, double added = 0,
                                    double more = 0) {
  CollectiveCost cost = cost_of(links.link, messages, sent * links.element_bytes, added * links.element_bytes);
  cost.alpha += more * links.beside_data;
  return cost;
}

/// A range in chunks of `elements` each; the last one may be shorter.
struct Pipeline {
  double count = 1, elements = 0, last = 0;
};
inline Pipeline pipeline_of(std::int64_t elements, std::int64_t chunk) {
  const std::int64_t count = chunk_count(elements, chunk), full = count == 1 ? elements : chunk;
  return {static_cast<double>(count), static_cast<double>(full), static_cast<double>(elements - (count - 1) * full)};
}

/// The stages of a chunk, one after another, while the next chunk is one stage behind. Chunks do not overtake each
/// other. A stage's time depends on its chunk's size, and it begins when it has finished the chunk before.
class PipelineStages {
public:
  /// Adds `times` stages in turn: each a message of `sent` chunks; add_reduction() adds `added` chunks.
  void add_message(int times, double sent = 1) { stages_.insert(stages_.end(), count_of(times), {1, sent, 0, 0}); }
  /// Adds `times` stages of two messages of a chunk each, which share a port.
  void add_two_messages(int times) { stages_.insert(stages_.end(), count_of(times), {1, 2, 0, 1}); }
  void add_reduction(double added = 1) { stages_.push_back({0, 0, added, 0}); }

  /// Time until the last chunk is through: all stages for the first chunk and the longest stage for each further chunk.
  /// A shorter last chunk may wait for the previous one in any stage.
  [[nodiscard]] CollectiveCost total(const Pipeline& chunks, const FormLinks& links) const {
    CollectiveCost behind; // remaining stages of the last chunk
    for (const Stage& stage : stages_) behind += stage.cost(links, chunks.last);
    if (chunks.count <= 1) return behind;
    CollectiveCost first, longest, latest;
    for (const Stage& stage : stages_) {
      const CollectiveCost full = stage.cost(links, chunks.elements);
      first += full;
      if (full.total() > longest.total()) longest = full;
      const CollectiveCost here = first + (chunks.count - 2) * longest + behind;
      if (here.total() > latest.total()) latest = here;
      behind += -1.0 * stage.cost(links, chunks.last);
    }
    return latest;
  }

private:
  struct Stage {
    double messages, sent, added, more;
    [[nodiscard]] CollectiveCost cost(const FormLinks& links, double chunk) const {
      return elements_cost(links, messages, sent * chunk, added * chunk, more);
    }
  };
  static std::size_t count_of(int times) { return static_cast<std::size_t>(std::max(times, 0)); }
  std::vector<Stage> stages_;
};

} // namespace gradflight
