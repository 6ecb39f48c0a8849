#include "workloads/code/trace_workload.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <string_view>
#include <utility>

namespace gradflight {
namespace {

/// Rounds to whole picoseconds: profilers record nanoseconds, so differences of time stamps should have few digits.
double read(const TracePart& part, TraceTimes times) {
  constexpr double per_second = 1e12;
  return std::round((times == TraceTimes::span ? part.span : part.busy) * per_second) / per_second;
}

bool has_parameters_by_name(const std::string& op) {
  constexpr std::array<std::string_view, 9> words = {
      "conv", "linear", "addmm", "batch_norm", "layer_norm", "group_norm", "instance_norm", "embedding", "lstm"};
  return std::ranges::any_of(words, [&](std::string_view word) { return op.find(word) != std::string::npos; });
}

bool has_parameters(const TraceLayer& layer, const StepTimes& step) {
  return step.has_backward ? layer.gradients > 0 : has_parameters_by_name(layer.op);
}

/// Returns the indices of the elements for which `wanted` holds.
template <class T, class Wanted> std::vector<std::size_t> places(const std::vector<T>& list, Wanted wanted) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < list.size(); ++i)
    if (wanted(list[i])) found.push_back(i);
  return found;
}

class Matcher {
public:
  Matcher(const StepTimes& step, const Workload& model, TraceTimes times) : step_(step), times_(times) {
    workload_.name = model.name;
    workload_.layers = model.layers;
    for (Layer& layer : workload_.layers) layer.forward = layer.backward = 0;
    before_.name = "before forward";
    loss_.name = "loss";
  }

  Workload match() {
    const auto ops = places(step_.layers, [&](const TraceLayer& layer) { return has_parameters(layer, step_); });
    const auto layers = places(workload_.layers, [](const Layer& layer) { return !layer.tensors.empty(); });
    check(ops, layers);
    for (std::size_t i = 0; i < ops.size(); ++i) give(ops[i], &workload_.layers[layers[i]]);
    for (std::size_t i = 0; i <= ops.size(); ++i) {
      const std::size_t op = i == 0 ? 0 : ops[i - 1] + 1, op_end = i < ops.size() ? ops[i] : step_.layers.size();
      const std::size_t layer = i == 0 ? 0 : layers[i - 1] + 1;
      const std::size_t layer_end = i < layers.size() ? layers[i] : workload_.layers.size();
      between(op, op_end, layer, layer_end, i == 0, i == ops.size());
    }
    before_.forward += read(step_.before, times_);
    loss_.forward += read(step_.after_forward, times_);
    loss_.backward += read(step_.loss_backward, times_);
    if (before_.forward > 0) workload_.layers.insert(workload_.layers.begin(), before_);
    if (loss_.forward > 0 || loss_.backward > 0) workload_.layers.push_back(loss_);
    workload_.update = read(step_.update, times_);
    return std::move(workload_);
  }

private:
  void check(const std::vector<std::size_t>& ops, const std::vector<std::size_t>& layers) const {
    if (step_.layers.empty())
      throw TraceError(fmt::format("{}: no operator has a sequence number, so layers cannot be distinguished: record "
                                   "with PyTorch's profiler, activities CPU and CUDA",
                                   step_.name));
    if (ops.size() != layers.size())
      throw TraceError(fmt::format("{} has {} operators with parameters, but the model {} has {} layers with tensors",
                                   step_.name, ops.size(), workload_.name, layers.size()));
    if (!step_.has_backward) return;
    for (std::size_t i = 0; i < ops.size(); ++i) {
      const TraceLayer& op = step_.layers[ops[i]];
      const Layer& layer = workload_.layers[layers[i]];
      if (static_cast<std::size_t>(op.gradients) == layer.tensors.size()) continue;
      throw TraceError(fmt::format("{}: layer {} of the model has {} tensors, but its operator, {} (number {} with "
                                   "parameters), produced {} gradients",
                                   step_.name, layer.name, layer.tensors.size(), op.op, i + 1, op.gradients));
    }
  }

  void give(std::size_t op, Layer* layer) const {
    layer->forward += read(step_.layers[op].forward, times_);
    layer->backward += read(step_.layers[op].backward, times_);
  }

  /// Adds operators without parameters to the layers without tensors at the same position.
  void between(std::size_t op, std::size_t op_end, std::size_t layer, std::size_t layer_end, bool first, bool last) {
    Layer* surplus = nullptr;
    if (last)
      surplus = &loss_;
    else if (layer < layer_end)
      surplus = &workload_.layers[layer_end - 1];
    else if (!first)
      surplus = &workload_.layers[layer - 1];
    else
      surplus = &before_;
    for (; op < op_end; ++op, ++layer) give(op, layer < layer_end ? &workload_.layers[layer] : surplus);
  }

  const StepTimes& step_;
  TraceTimes times_;
  Workload workload_;
  Layer before_, loss_;
};

} // namespace

Workload workload_of_layers(const StepTimes& step, const Workload& model, TraceTimes times) {
  return Matcher(step, model, times).match();
}

Workload workload_of_buckets(const StepTimes& step, TraceTimes times) {
  const auto buckets = step.gradient_buckets();
  if (buckets.empty())
    throw TraceError(
        step.name +
        " has no all-reduce in its backward pass, so the exchanged tensors are unknown: name the model with --model");
  constexpr double most_bytes = 9007199254740992.0; // 2^53, as for every workload
  Workload workload;
  for (std::size_t b = 0; b < buckets.size(); ++b) {
    if (buckets[b]->bytes < 1)
      throw TraceError(fmt::format("{}: the trace does not record the size of all-reduce {}: record it with "
                                   "record_shapes=True, or name the model with --model",
                                   step.name, b));
    if (buckets[b]->bytes > most_bytes)
      throw TraceError(
          fmt::format("{}: all-reduce {} has {:.0f} bytes, more than 2^53", step.name, b, buckets[b]->bytes));
    Layer layer;
    layer.name = fmt::format("bucket{}", b);
    layer.backward = read(step.bucket_backward[b], times);
    const Element element = element_named(buckets[b]->dtype).value_or(Element::fp32);
    layer.tensors.push_back(
        {layer.name, static_cast<std::int64_t>(std::ceil(buckets[b]->bytes / width_of(element))), element});
    workload.layers.push_back(std::move(layer));
  }
  int bucket = 0;
  for (std::size_t i = step.layers.size(); i-- > 0;) { // without a backward pass: same bucket as the next layer
    const TraceLayer& layer = step.layers[i];
    if (layer.bucket >= 0) bucket = std::min(layer.bucket, static_cast<int>(buckets.size()) - 1);
    workload.layers[static_cast<std::size_t>(bucket)].forward += read(layer.forward, times);
  }
  workload.layers.front().forward += read(step.after_forward, times);
  std::ranges::reverse(workload.layers);
  Layer before;
  before.name = "before forward";
  before.forward = read(step.before, times);
  if (before.forward > 0) workload.layers.insert(workload.layers.begin(), before);
  workload.update = read(step.update, times);
  return workload;
}

RecordedTypes recorded_types(const StepTimes& step) {
  struct Type {
    std::string name;
    const TraceCollective* first;
    double bytes;
  };
  std::vector<Type> types;
  for (const TraceCollective* bucket : step.gradient_buckets()) {
    if (dtype_bytes(bucket->dtype) == 0) continue;
    const auto element = element_named(bucket->dtype);
    const std::string name = element ? std::string(name_of(*element)) : bucket->dtype;
    const auto same = std::ranges::find(types, name, &Type::name);
    if (same == types.end())
      types.push_back({name, bucket, bucket->bytes});
    else
      same->bytes += bucket->bytes;
  }
  std::ranges::stable_sort(types, std::greater(), &Type::bytes);
  RecordedTypes found;
  for (const Type& type : types) found.names.push_back(type.name);
  if (types.empty()) return found;
  const std::string& dtype = types.front().first->dtype;
  found.element = element_named(dtype);
  if (!found.element) found.words = dtype_bytes(dtype);
  return found;
}

void take_types(Workload& model, const RecordedTypes& types) {
  if (types.names.empty() || (types.names.size() > 1 && model.element() != Element::fp32)) return;
  const auto as_words = [&](std::int64_t elements) {
    return std::max<std::int64_t>(1, (elements * types.words + element_bytes - 1) / element_bytes);
  };
  for (Layer& layer : model.layers)
    for (Tensor& tensor : layer.tensors) {
      tensor.element = types.element.value_or(Element::fp32);
      if (types.words > 0) tensor.elements = as_words(tensor.elements);
    }
}

} // namespace gradflight
