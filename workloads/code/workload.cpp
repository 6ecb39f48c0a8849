#include "workloads/code/workload.hpp"

#include "models/collectives/element_type.hpp"

#include <algorithm>

namespace gradflight {

std::int64_t Workload::elements() const {
  std::int64_t sum = 0;
  for (const Layer& layer : layers)
    for (const Tensor& tensor : layer.tensors) sum += tensor.elements;
  return sum;
}

double Workload::bytes() const {
  double sum = 0;
  for (const Layer& layer : layers)
    for (const Tensor& tensor : layer.tensors) sum += tensor.bytes();
  return sum;
}

std::optional<Element> Workload::element() const {
  std::optional<Element> all;
  for (const Layer& layer : layers)
    for (const Tensor& tensor : layer.tensors) {
      if (all && *all != tensor.element) return std::nullopt;
      all = tensor.element;
    }
  return all.value_or(Element::fp32);
}

std::vector<std::string> Workload::element_names() const {
  std::vector<std::string> found;
  for (const auto& type : elements_by_name)
    if (std::ranges::any_of(layers, [&](const Layer& layer) {
          return std::ranges::find(layer.tensors, type.second, &Tensor::element) != layer.tensors.end();
        }))
      found.emplace_back(type.first);
  return found;
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

std::optional<Element> element_named(std::string_view spelling) {
  const auto type = element_type_named(spelling);
  if (!type) return std::nullopt;
  if (type->name == "float") return Element::fp32;
  if (type->name == "bfloat16") return Element::bf16;
  if (type->name == "half") return Element::fp16;
  if (type->name.starts_with("fp8")) return Element::fp8;
  return std::nullopt;
}

} // namespace gradflight
