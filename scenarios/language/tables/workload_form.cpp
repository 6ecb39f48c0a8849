#include "scenarios/language/tables/workload_form.hpp"

#include "scenarios/language/tables/workload_short.hpp"
#include "workloads/code/compute.hpp"

#include <cmath>
#include <fmt/format.h>
#include <stdexcept>

namespace gradflight {
namespace {

std::vector<LayerFlops> flops_of(const WorkloadForm& form) {
  std::vector<LayerFlops> flops;
  for (const auto& layer : form.layers) {
    const auto forward = layer.flops_forward.value_or(0);
    flops.push_back({forward, layer.flops_backward.value_or(2 * forward)});
  }
  return flops;
}

double scale(double total, double sum, const char* pass) {
  if (total == 0) return 0;
  if (sum == 0) throw std::invalid_argument(fmt::format("no layer has a {} time, which the split needs", pass));
  return total / sum;
}

/// Scales the layer times to the measured totals, in proportion to the given times.
void split_as_given(Workload& workload, const ComputeForm& compute) {
  const auto forward = workload.forward(), backward = workload.backward();
  const bool together = compute.total.has_value();
  const auto both = together ? scale(compute.total->value(), forward + backward, "forward or backward") : 0;
  const auto up = together ? both : scale(compute.forward->value(), forward, "forward");
  const auto down = together ? both : scale(compute.backward->value(), backward, "backward");
  for (auto& layer : workload.layers) {
    layer.forward *= up;
    layer.backward *= down;
  }
}

void work_out_times(Workload& workload, const WorkloadForm& form) {
  const auto& compute = *form.compute;
  if (compute.gpu_rate) {
    if (workload.batch == 0)
      throw std::invalid_argument("gpu_rate needs \"batch\", the samples per rank and iteration");
    const auto backward = compute.backward_rate.value_or(*compute.gpu_rate);
    times_from_rate(workload.layers, flops_of(form), compute.gpu_rate->value(), backward.value(), workload.batch);
  } else if (compute.split == Split::given) {
    split_as_given(workload, compute);
  } else if (compute.total) {
    split_by_flops(workload.layers, flops_of(form), compute.total->value());
  } else {
    split_by_flops(workload.layers, flops_of(form), compute.forward->value(), compute.backward->value());
  }
  for (const Layer& layer : workload.layers)
    if (!std::isfinite(layer.forward) || !std::isfinite(layer.backward))
      throw std::invalid_argument("the layers' times add up to more than 1.8e+308 s, the largest double");
}

/// A key must not occur both in the workload and in its `compute`.
void refuse_twice(const char* key, const Node& node, Decoder& decoder) {
  const auto* compute = node.find("compute");
  if (compute == nullptr || node.find(key) == nullptr || compute->find(key) == nullptr) return;
  const auto in = decoder.into("compute");
  const auto at = decoder.into(key);
  decoder.fail(compute->find(key)->position, fmt::format("the workload already has \"{}\"", key));
}

void refuse_own_times(const WorkloadForm& form, const char* giver, const Node& node, Decoder& decoder) {
  if (form.compute->split == Split::given && !form.compute->gpu_rate) return;
  const auto* layers = node.find("layers");
  for (std::size_t i = 0; layers != nullptr && i < layers->items.size(); ++i) {
    for (const auto* key : {"forward", "backward"}) {
      const auto* time = layers->items[i].find(key);
      if (time == nullptr) continue;
      const auto in = decoder.into("layers");
      const auto at = decoder.into(i);
      const auto name = decoder.into(key);
      decoder.fail(time->position,
                   fmt::format("\"{}\" has no effect here: `{}` gives the layers their times", key, giver));
    }
  }
}

/// Returns the elements of a tensor with that many bytes. Returns nothing, and reports a problem at its position, if
/// the bytes are not divisible.
std::optional<std::int64_t> elements_of(const TensorForm& tensor, Element element, std::size_t layer, std::size_t index,
                                        const Node& node, Decoder& decoder) {
  const double bytes = tensor.bytes.value();
  const int width = width_of(element);
  const auto whole = static_cast<std::int64_t>(bytes);
  if (static_cast<double>(whole) == bytes && whole % width == 0 && whole / width <= max_elements) return whole / width;
  const bool listed = node.find("layers") != nullptr;
  const Node& tensors = listed ? *node.find("layers")->items[layer].find("tensors") : *node.find("tensors");
  const Node& written = *tensors.items[index].find("bytes");
  const auto in_layers = listed ? std::optional<Decoder::Step>(std::in_place, decoder, "layers") : std::nullopt;
  const auto in_layer =
      listed ? std::optional<Decoder::Step>(std::in_place, decoder, fmt::format("{}", layer)) : std::nullopt;
  const auto in_tensors = decoder.into("tensors");
  const auto in_tensor = decoder.into(index);
  const auto in_bytes = decoder.into("bytes");
  if (whole / width > max_elements)
    decoder.fail(written.position,
                 fmt::format("{} is more than a workload may have (2^51 elements)", brief_text(written)));
  else
    decoder.fail(written.position,
                 fmt::format("{} is not a whole number of {}-byte elements{}", brief_text(written), width,
                             element == Element::fp32 ? "" : fmt::format(" ({})", name_of(element))));
  return std::nullopt;
}

} // namespace

std::optional<Workload> make_workload(const WorkloadForm& written, const Node& node, Decoder& decoder) {
  const auto before = decoder.count();
  const auto form = spelled_out(written, node, decoder);
  refuse_twice("update", node, decoder);
  refuse_twice("batch", node, decoder);
  if (form.compute) refuse_own_times(form, written.compute ? "compute" : written.step ? "step" : "gpu", node, decoder);

  Workload workload{form.name, form.source, {}, form.update.value_or(Seconds()).value(), form.batch.value_or(0),
                    form.gpu,  form.assumed};
  double bytes = 0;
  int tensors = 0;
  for (const auto& layer : form.layers) {
    const auto name = layer.name.empty() ? fmt::format("layer{}", workload.layers.size()) : layer.name;
    workload.layers.push_back({name, layer.forward, layer.backward, {}});
    for (std::size_t t = 0; t < layer.tensors.size(); ++t) {
      const TensorForm& given = layer.tensors[t];
      const Element element = given.element.value_or(form.element.value_or(Element::fp32));
      Tensor tensor{given.name.empty() ? fmt::format("tensor{}", tensors) : given.name, given.elements, element};
      if (given.bytes)
        tensor.elements = elements_of(given, element, workload.layers.size() - 1, t, node, decoder).value_or(0);
      bytes += tensor.bytes();
      ++tensors;
      workload.layers.back().tensors.push_back(std::move(tensor));
    }
  }
  if (tensors == 0 && !form.layers.empty()) decoder.fail(node.position, "the workload has no tensor to exchange");
  if (bytes > 9007199254740992.0)
    decoder.fail(node.position, "the workload's tensors are more than 2^53 bytes together");
  if (decoder.count() != before) return std::nullopt;
  if (!form.compute) return workload;

  if (form.compute->update) workload.update = form.compute->update->value();
  if (form.compute->batch) workload.batch = *form.compute->batch;
  try {
    work_out_times(workload, form);
  } catch (const std::invalid_argument& error) {
    const char* key = written.compute ? "compute" : written.step ? "step" : "gpu";
    const auto step = decoder.into(key);
    decoder.fail(node.find(key)->position, error.what());
    return std::nullopt;
  }
  return workload;
}

WorkloadForm form_of(const Workload& workload) {
  WorkloadForm form{.name = workload.name, .source = workload.source, .update = Seconds(workload.update)};
  form.gpu = workload.gpu;
  form.assumed = workload.assumed;
  if (workload.batch > 0) form.batch = workload.batch;
  // Workloads with only fp32 have no key for the element type.
  const auto all = workload.element();
  if (all && *all != Element::fp32) form.element = all;
  for (const auto& layer : workload.layers) {
    LayerForm shown{layer.name, layer.forward, layer.backward, {}, {}, {}};
    for (const Tensor& tensor : layer.tensors) {
      shown.tensors.push_back({tensor.name, tensor.elements, {}, {}});
      if (!all && tensor.element != Element::fp32) shown.tensors.back().element = tensor.element;
    }
    form.layers.push_back(std::move(shown));
  }
  return form;
}

} // namespace gradflight
