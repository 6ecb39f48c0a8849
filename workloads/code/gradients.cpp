#include "workloads/code/gradients.hpp"

#include "workloads/code/npy.hpp"

#include <algorithm>

namespace gradflight {

std::string GradientFiles::path(std::size_t point, int worker) const {
  return directory + "/" + points.at(point) + "/worker-" + std::to_string(worker) + extension;
}

Gradients::Gradients(GradientFiles files, const Workload& workload) : files_(std::move(files)) {
  for (const Layer& layer : workload.layers)
    for (const Tensor& tensor : layer.tensors) tensor_sizes_.push_back(tensor.elements);
  kept_.assign(files_.points.size(), std::vector<std::vector<float>>(static_cast<std::size_t>(files_.workers)));
  sums_.resize(files_.points.size());
}

std::span<const float> Gradients::worker(std::size_t point, int worker) {
  std::vector<float>& values = kept_.at(point).at(static_cast<std::size_t>(worker));
  if (!values.empty()) return values;
  const std::string path = files_.path(point, worker);
  std::vector<float> forward;
  try {
    forward = read_npy(path).values;
  } catch (const NpyError& error) {
    throw GradientError(path + ": " + error.what());
  }
  if (static_cast<std::int64_t>(forward.size()) != files_.elements)
    throw GradientError(path + ": has " + std::to_string(forward.size()) + " values, but the workload has " +
                        std::to_string(files_.elements));
  values.reserve(forward.size());
  auto end = forward.end();
  for (auto size = tensor_sizes_.rbegin(); size != tensor_sizes_.rend(); ++size) {
    values.insert(values.end(), end - *size, end);
    end -= *size;
  }
  return values;
}

std::span<const double> Gradients::sum(std::size_t point, int workers) {
  std::vector<double>& total = sums_.at(point);
  if (!total.empty()) return total;
  total.assign(static_cast<std::size_t>(files_.elements), 0.0);
  for (int w = 0; w < workers; ++w) {
    const auto values = worker(point, w);
    std::transform(values.begin(), values.end(), total.begin(), total.begin(),
                   [](float v, double t) { return t + static_cast<double>(v); });
  }
  return total;
}

} // namespace gradflight
