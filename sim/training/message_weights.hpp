// The weight of a training message. Single messages, rings computed as a whole, and `plan` all use this one rule.
//
//   dense       elements x their width, or lists x k entries of a value and an index of 4 bytes
//   encoded     dense / ratio; if some tensors are left out of the compression, wire_weight.hpp; for real tensors, the
//               size after the codec when they are sent (sim/data)
//   on links    + platform.message_bytes; between compressing NICs the size of their packets (models/nic)
//   on a place  nothing: a message to the sender's own place crosses no link
// The closed forms repeat this rule on purpose, because they check it: analysis/run/forms.
#pragma once

#include "platforms/code/spec/spec.hpp"
#include "sim/plan/op.hpp"
#include "sim/plan/weight.hpp"
#include "sim/training/bucket_plan.hpp"
#include "sim/training/rank_layout.hpp"
#include "sim/training/wire_weight.hpp"

#include <optional>

namespace gradflight {

class MessageWeights {
public:
  MessageWeights(const PlatformSpec& platform, const Workload& workload, const TrainingSpec& training,
                 const std::vector<Bucket>& buckets, const std::vector<BucketPlan>& plans);

  /// For blocks of buckets, with a given ratio.
  [[nodiscard]] const WireWeight& blocks() const { return blocks_; }
  /// Returns the dense bytes of a range in the schedule's unit.
  [[nodiscard]] double payload(int bucket, Range range) const {
    return static_cast<double>(range.count) * unit_bytes_[static_cast<std::size_t>(bucket)];
  }
  /// Returns the bytes that a step sends, as encoded at a given ratio.
  [[nodiscard]] double encoded(const StepOp& op) const {
    const double dense = payload(op.bucket, op.transfer.out);
    if (!op.encoded) return dense;
    return blocks_.even() ? dense / blocks_.ratio(op.bucket) // for any unit
                          : blocks_.bytes(op.bucket, op.transfer.out);
  }

  /// Computes the weight of a step's message of `encoded` bytes over a route of `bandwidth` (bytes per second).
  void weigh(const StepOp& op, double encoded, RankLayout::Way way, double bandwidth, Weight& weight) const {
    weight.payload = payload(op.bucket, op.transfer.out);
    weight.through_nics = false;
    weight.decode_seconds = 0;
    weight.wire = 0;
    if (way == RankLayout::Way::own_place) return;
    weight.wire = encoded + message_bytes_;
    if (op.encoded) weight.decode_seconds = weight.payload * decode_seconds_;
    if (nic_ && way == RankLayout::Way::between_nodes) pass_nics(op.encoded, bandwidth, weight);
  }

  /// For messages in which all elements weigh alike (blocks().even()), outside NICs: dense / ratio + beside.
  struct Even {
    double ratio, beside;
    [[nodiscard]] double bytes(double dense) const { return dense / ratio + beside; }
  };
  [[nodiscard]] Even even(int bucket) const { return {blocks_.ratio(bucket), message_bytes_}; }
  /// Returns the bytes of a message with a range of a bucket, encoded, outside NICs.
  [[nodiscard]] double bytes(int bucket, Range range) const { return blocks_.bytes(bucket, range) + message_bytes_; }

private:
  void pass_nics(bool encoded, double bandwidth, Weight& weight) const;

  WireWeight blocks_;
  std::vector<double> unit_bytes_; ///< of each bucket
  double message_bytes_ = 0;
  double decode_seconds_ = 0;  ///< per dense byte, in software
  std::optional<NicSpec> nic_; ///< a compressing NIC
};

} // namespace gradflight
