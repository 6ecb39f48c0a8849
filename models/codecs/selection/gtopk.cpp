#include "models/codecs/selection/gtopk.hpp"

#include "models/codecs/parts/bits.hpp"

#include <algorithm>
#include <utility>

namespace gradflight::codec::gtopk {
namespace {

SparseVector unite(const SparseVector& receiver, const SparseVector& sender) {
  SparseVector all;
  all.indices.reserve(receiver.size() + sender.size());
  all.values.reserve(receiver.size() + sender.size());
  std::size_t r = 0, s = 0;
  while (r < receiver.size() || s < sender.size()) {
    const bool from_receiver = s == sender.size() || (r < receiver.size() && receiver.indices[r] <= sender.indices[s]);
    const bool from_sender = r == receiver.size() || (s < sender.size() && sender.indices[s] <= receiver.indices[r]);
    all.indices.push_back(from_receiver ? receiver.indices[r] : sender.indices[s]);
    if (from_receiver && from_sender)
      all.values.push_back(accumulate(receiver.values[r], sender.values[s]));
    else
      all.values.push_back(from_receiver ? receiver.values[r] : sender.values[s]);
    r += from_receiver;
    s += from_sender;
  }
  return all;
}

} // namespace

SparseVector merge(const SparseVector& receiver, const SparseVector& sender, std::size_t k) {
  const SparseVector all = unite(receiver, sender);
  // Positions in the union ascend with the indices. So the lower index wins ties here as well.
  SparseVector kept = simd::select_largest(all.values, k);
  for (std::uint32_t& position : kept.indices) position = all.indices[position];
  return kept;
}

std::vector<std::vector<Merge>> tree(std::size_t ranks) {
  std::vector<std::vector<Merge>> rounds;
  for (std::size_t distance = 1; distance < ranks; distance *= 2) {
    auto& round = rounds.emplace_back();
    for (std::size_t rank = 0; rank + distance < ranks; rank += 2 * distance) round.push_back({rank, rank + distance});
  }
  return rounds;
}

SparseVector reduce(std::vector<SparseVector> selections, std::size_t k) {
  if (selections.empty()) return {};
  for (const auto& round : tree(selections.size()))
    for (const Merge& m : round) selections[m.receiver] = merge(selections[m.receiver], selections[m.sender], k);
  return std::move(selections.front());
}

void put_back(const SparseVector& local, const SparseVector& result, std::span<float> residual) {
  auto from = result.indices.begin();
  for (std::size_t i = 0; i < local.size(); ++i) {
    from = std::lower_bound(from, result.indices.end(), local.indices[i]);
    if (from == result.indices.end() || *from != local.indices[i]) residual[local.indices[i]] = local.values[i];
  }
}

} // namespace gradflight::codec::gtopk
