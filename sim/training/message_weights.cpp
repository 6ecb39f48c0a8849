#include "sim/training/message_weights.hpp"

#include <algorithm>

namespace gradflight {

MessageWeights::MessageWeights(const PlatformSpec& platform, const Workload& workload, const TrainingSpec& training,
                               const std::vector<Bucket>& buckets, const std::vector<BucketPlan>& plans)
    : blocks_(workload, buckets, training.compression) {
  for (const BucketPlan& plan : plans) unit_bytes_.push_back(plan.unit_bytes);
  if (platform.message_bytes) message_bytes_ = platform.message_bytes->value();
  if (training.compression.in_software()) decode_seconds_ = training.compression.decode_seconds();
  if (training.compression.in_nic()) nic_ = platform.nic.value_or(NicSpec{});
}

/// `encoded`: if false, its ToS does not match, and it passes uncompressed.
void MessageWeights::pass_nics(bool encoded, double bandwidth, Weight& weight) const {
  const auto dense = static_cast<std::int64_t>(weight.payload);
  const StreamCost cost = nic_stream_cost(*nic_, *nic_, nic_stream(dense, weight.wire, encoded), ByteRate(bandwidth));
  weight.through_nics = true;
  weight.wire = cost.wire_bytes.value();
  weight.fill = cost.fill.value();
  weight.tail = cost.tail.value();
  weight.on_wire = cost.on_wire.value();
  weight.engine = weight.wire / std::min(bandwidth, cost.stage_rate().value()) - weight.wire / bandwidth;
  for (std::size_t s = 0; s < nic_stages; ++s) weight.stages[s] = cost.stages[s].weight;
}

} // namespace gradflight
