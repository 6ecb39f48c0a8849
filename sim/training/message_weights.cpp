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

double MessageWeights::encoded(const StepOp& op) const {
  const double dense = payload(op.bucket, op.transfer.out);
  if (!op.encoded) return dense;
  return blocks_.even() ? dense / blocks_.ratio(op.bucket) // whatever a unit is
                        : blocks_.bytes(op.bucket, op.transfer.out);
}

void MessageWeights::weigh(const StepOp& op, double encoded, Way way, double bandwidth, Weight& weight) const {
  weight.payload = payload(op.bucket, op.transfer.out);
  weight.through_nics = false;
  weight.decode_seconds = 0;
  weight.wire = 0;
  if (way == Way::own_place) return;
  weight.wire = encoded + message_bytes_;
  if (op.encoded) weight.decode_seconds = weight.payload * decode_seconds_;
  if (nic_ && way == Way::between_nodes) pass_nics(op.encoded, bandwidth, weight);
}

/// `encoded`: else its ToS does not match, and it passes as it is.
void MessageWeights::pass_nics(bool encoded, double bandwidth, Weight& weight) const {
  const auto dense = static_cast<std::int64_t>(weight.payload);
  const StreamCost cost = nic_stream_cost(*nic_, *nic_, nic_stream(dense, weight.wire, encoded), ByteRate(bandwidth));
  weight.through_nics = true;
  weight.wire = cost.wire_bytes.value();
  weight.fill = cost.fill.value();
  weight.tail = cost.tail.value();
  weight.engine = weight.wire / std::min(bandwidth, cost.stage_rate().value()) - weight.wire / bandwidth;
  for (std::size_t s = 0; s < nic_stages; ++s) weight.stages[s] = cost.stages[s].weight;
}

} // namespace gradflight
