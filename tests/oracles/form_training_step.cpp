#include "tests/oracles/form_training_step.hpp"

#include "models/forms/form_collectives.hpp"
#include "tests/oracles/form_textbook.hpp"

#include <algorithm>

namespace gradflight {

double synchronous_run(double iterations, const StageTimes& s) {
  return iterations * (s.update + s.compute() + s.communication);
}
double ideal_pipeline_run(double iterations, double k, const StageTimes& s) {
  return synchronous_run(iterations / k, s);
}
double bounded_pipeline_run(double iterations, const StageTimes& s) {
  return iterations * std::max(s.update + s.compute(), s.communication);
}
double sequential_communication_run(double iterations, const StageTimes& s, const CollectiveCost& ring,
                                    double synchronisation) {
  return bounded_pipeline_run(iterations, {s.update, s.forward, s.backward, ring.total() + synchronisation});
}
double segmented_communication_run(double iterations, const StageTimes& s, double first_segment, int p, int segments,
                                   double n, double synchronisation, const LinkParameters& link) {
  const double rings = segments * allreduce_ring(p, n / segments, link).total();
  return bounded_pipeline_run(iterations,
                              {s.update, s.forward, s.backward, first_segment + rings + segments * synchronisation});
}
double pipeline_efficiency(const StageTimes& s) {
  const double alone = s.update + s.compute();
  const double step = std::max(alone, s.communication);
  return step > 0 ? alone / step : 1;
}
double pipelined_allreduce_step(int p, double n, double ratio, double codec, const LinkParameters& link) {
  return std::max(link.alpha + n * link.beta / (p * ratio), n * (link.gamma + codec) / p);
}

double partly_overlapped_step(double compute, double communication, double overlapped) {
  return std::max(compute, communication) + (1 - overlapped) * std::min(compute, communication);
}
double server_link_time(int workers, double n, double ratio, double pull, const LinkParameters& link) {
  return workers * n * (1 / ratio + pull) * link.beta;
}

double rescaled_transfer(double stack, double link, double ratio, double codec) { return stack + link / ratio + codec; }
double inceptionn_ratio(double a0, double a8, double a16, double a32) {
  return 32 / (2 * a0 + 10 * a8 + 18 * a16 + 34 * a32);
}

CollectiveCost per_tensor_rings(int p, const std::vector<double>& tensor_bytes, const LinkParameters& link) {
  CollectiveCost sum;
  for (const double bytes : tensor_bytes) sum += allreduce_ring(p, bytes, link);
  return sum;
}
std::vector<double> lazy_groups(const std::vector<double>& tensor_bytes, double threshold) {
  std::vector<double> groups;
  double open = 0;
  for (const double bytes : tensor_bytes) {
    open += bytes;
    if (open <= threshold) continue;
    groups.push_back(open);
    open = 0;
  }
  if (open > 0) groups.push_back(open);
  return groups;
}

double scaling_efficiency(double forward, double backward, double communication) {
  const double compute = forward + backward;
  return compute + communication > 0 ? compute / (compute + communication) : 1;
}

CollectiveCost dense_allreduce_as_printed(int p, double m, const LinkParameters& link) {
  return allreduce_ring(p, m, {link.alpha, link.beta, 0});
}

} // namespace gradflight
