// Closed forms of whole training steps as printed in the papers: Pipe-SGD Eq. 2-7 (numbers lost in the text are
// reconstructed from its prose: docs/closed-forms.md), a step with a parameter server and partial overlap (3LC), and
// GradientFlow's sums.
#pragma once

#include "models/forms/collective_cost.hpp"

#include <vector>

namespace gradflight {

/// Stages of one iteration (seconds): update, forward pass, backward pass, communication.
struct StageTimes {
  double update = 0, forward = 0, backward = 0, communication = 0;
  [[nodiscard]] double compute() const { return forward + backward; }
};

/// Eq. 2, synchronous: T (l_up + l_comp + l_comm).
double synchronous_run(double iterations, const StageTimes& stages);
/// Eq. 3, K iterations in flight on unlimited resources: (T/K)(l_up + l_comp + l_comm).
double ideal_pipeline_run(double iterations, double k, const StageTimes& stages);
/// Eq. 4, limited resources, any K >= 2: T max(l_up + l_comp, l_comm).
double bounded_pipeline_run(double iterations, const StageTimes& stages);
/// Eq. 5, ring after the backward pass, S seconds for synchronisation: Eq. 4 with l_comm = ring + S.
double sequential_communication_run(double iterations, const StageTimes& stages, const CollectiveCost& ring,
                                    double synchronisation);
/// Eq. 6, ring of each of L segments as soon as it is ready; the first is ready after `first_segment` seconds of
/// backward pass. l_comm = first_segment + 2L(p-1) alpha + 2((p-1)/p) n beta + ((p-1)/p) n gamma + L S.
double segmented_communication_run(double iterations, const StageTimes& stages, double first_segment, int p,
                                   int segments, double n, double synchronisation, const LinkParameters& link);
/// Eq. 7, weak scaling: (l_up + l_comp) / max(l_up + l_comp, l_comm); 1 when compute bound.
double pipeline_efficiency(const StageTimes& stages);
/// Fig. 3 b, steady state of a step of the pipelined all-reduce: max(alpha + n beta / (p ratio), n (gamma + codec) /
/// p), with `codec` seconds per dense byte to decompress and compress.
double pipelined_allreduce_step(int p, double n, double ratio, double codec, const LinkParameters& link);

/// A step with partial overlap: the share `overlapped` in [0, 1] of the shorter of compute and communication is hidden.
/// max(A, C) + (1 - overlapped) min(A, C). Fits 3LC's tables (docs/closed-forms.md; the paper has no such form).
double partly_overlapped_step(double compute, double communication, double overlapped);
/// 3LC's C: the server's link carries `workers` copies of n bytes, compressed by `ratio` in the push, and the share
/// `pull` of them in the other direction (dense pull: 1). Seconds: workers n (1/ratio + pull) beta.
double server_link_time(int workers, double n, double ratio, double pull, const LinkParameters& link);

/// INCEPTIONN Sec. VII-C, rule for measured times: the ratio reduces the link time of uncompressed transfers, but not
/// the stack's time. T_stack + T_link / ratio + T_codec.
double rescaled_transfer(double stack, double link, double ratio, double codec);
/// INCEPTIONN's ratio from Table III: 32 / (2 a0 + 10 a8 + 18 a16 + 34 a32), with the shares of values with 0, 8, 16
/// and 32 data bits.
double inceptionn_ratio(double a0, double a8, double a16, double a32);

/// GradientFlow Tables 1-2: one ring per tensor, sum_t [2(N-1) alpha + 2((N-1)/N) K_t beta + ((N-1)/N) K_t gamma].
CollectiveCost per_tensor_rings(int p, const std::vector<double>& tensor_bytes, const LinkParameters& link);
/// GradientFlow Sec. 3.1, lazy all-reduce: consecutive tensors, in gradient order, are fused until their sum exceeds
/// `threshold`.
std::vector<double> lazy_groups(const std::vector<double>& tensor_bytes, double threshold);

/// gTop-k Eq. 4: (forward + backward) / (forward + backward + communication); 1 for an idle step.
double scaling_efficiency(double forward, double backward, double communication);

/// gTop-k Eq. 5, DenseAllReduce: 2(P-1) alpha + 2((P-1)/P) m beta. No gamma.
CollectiveCost dense_allreduce_as_printed(int p, double m, const LinkParameters& link);

} // namespace gradflight
