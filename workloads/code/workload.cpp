#include "workloads/code/workload.hpp"

namespace gradflight {

std::int64_t Workload::elements() const {
  std::int64_t sum = 0;
  for (const Layer& layer : layers)
    for (const Tensor& tensor : layer.tensors) sum += tensor.elements;
  return sum;
}

double Workload::forward() const {
  double sum = 0;
  for (const Layer& layer : layers) sum += layer.forward;
  return sum;
}

double Workload::backward() const {
  double sum = 0;
  for (const Layer& layer : layers) sum += layer.backward;
  return sum;
}

} // namespace gradflight
