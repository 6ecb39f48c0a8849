// Short names for what closed forms of operations are made of.
#pragma once

#include "sim/schedules/operations/group_blocks.hpp"
#include "sim/schedules/operations/group_form.hpp"

namespace gradflight {

inline FormCondition equal_blocks(const GroupSpec& spec) {
  if (!spec.counts.each.empty()) {
    for (const std::int64_t count : spec.counts.each)
      if (count != spec.counts.each.front()) return {"equal_blocks", "all blocks are equal", false};
    return {"equal_blocks", "all blocks are equal", true};
  }
  return {"equal_blocks", "all blocks are equal", spec.counts.elements % spec.ranks == 0};
}

inline FormCondition power_of_two(int p) {
  return {"power_of_two", "the number of ranks is a power of two", is_power_of_two(p)};
}

/// Chunks that a range of so many elements travels in, at least one.
inline std::int64_t chunk_count(std::int64_t elements, std::int64_t chunk) {
  return chunk <= 0 || elements <= chunk ? 1 : (elements + chunk - 1) / chunk;
}

inline FormCondition equal_chunks(std::int64_t elements, std::int64_t chunk) {
  return {"equal_chunks", "the chunk divides what travels in chunks",
          chunk <= 0 || elements <= chunk || elements % chunk == 0};
}

/// `messages` latencies, `sent` elements on the wire and `added` elements added up, one after another.
inline CollectiveCost elements_cost(const FormLinks& links, double messages, double sent, double added = 0) {
  return cost_of(links.link, messages, sent * links.element_bytes, added * links.element_bytes);
}

/// Chunks of `elements` each.
struct Pipeline {
  double count = 1, elements = 0;
};
inline Pipeline pipeline_of(std::int64_t elements, std::int64_t chunk) {
  const auto count = static_cast<double>(chunk_count(elements, chunk));
  return {count, static_cast<double>(elements) / count};
}

/// What a chunk goes through, one stage after another, while the next chunk is a stage behind: the sum of all stages
/// for the first chunk, and the longest stage for each further one.
struct PipelineStages {
  CollectiveCost first{}, longest{};

  void add(double times, const CollectiveCost& stage) {
    if (times <= 0) return;
    first += times * stage;
    if (stage.total() > longest.total()) longest = stage;
  }
  [[nodiscard]] CollectiveCost total(double chunks) const { return first + (chunks - 1) * longest; }
};

} // namespace gradflight
