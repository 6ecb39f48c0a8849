#include "scenarios/language/tables/workload_short.hpp"

#include "platforms/code/spec/gpu_capacity.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <stdexcept>

namespace gradflight {
namespace {

/// Parses decimals exactly: "6.7B" is 6,700,000,000. Returns nothing if the result is not a whole number.
std::optional<std::int64_t> count_of(std::string text, std::int64_t most) {
  int zeros = 0;
  if (!text.empty()) {
    constexpr std::string_view suffixes = "kMBT";
    if (const auto at = suffixes.find(text.back()); at != std::string_view::npos) {
      zeros = 3 * static_cast<int>(at + 1);
      text.pop_back();
    }
  }
  const auto point = std::min(text.find('.'), text.size());
  std::string digits = text.substr(0, point), decimals = point < text.size() ? text.substr(point + 1) : "";
  while (!decimals.empty() && decimals.back() == '0') decimals.pop_back();
  const auto plain = [](const std::string& t) { return t.find_first_not_of("0123456789") == std::string::npos; };
  const bool bare_point = point + 1 == text.size();
  if (digits.empty() || bare_point || !plain(digits) || !plain(decimals)) return std::nullopt;
  if (static_cast<int>(decimals.size()) > zeros || digits.size() > 18) return std::nullopt;
  digits += decimals + std::string(static_cast<std::size_t>(zeros) - decimals.size(), '0');
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  if (digits.empty() || digits.size() > 18) return std::nullopt;
  const std::int64_t count = std::stoll(digits);
  return count <= most ? std::optional(count) : std::nullopt;
}

void fail_at(const char* key, const std::string& message, const Node& node, Decoder& decoder) {
  const auto* written = node.find(key);
  const auto step = decoder.into(key);
  decoder.fail(written != nullptr ? written->position : node.position, message);
}

bool has_flops(const WorkloadForm& form) {
  return std::ranges::any_of(form.layers, [](const LayerForm& l) { return l.flops_forward || l.flops_backward; });
}
bool has_times(const WorkloadForm& form) {
  return std::ranges::any_of(form.layers, [](const LayerForm& l) { return l.forward > 0 || l.backward > 0; });
}

/// Returns layers of one tensor each; the first (n mod layers) tensors have one more element.
std::vector<LayerForm> even_layers(std::int64_t parameters, std::int64_t count) {
  std::vector<LayerForm> layers;
  for (std::int64_t i = 0; i < count; ++i) {
    LayerForm layer;
    layer.tensors.push_back({"", parameters / count + (i < parameters % count ? 1 : 0), {}, {}});
    layers.push_back(std::move(layer));
  }
  return layers;
}

void make_layers(WorkloadForm& form, const Node& node, Decoder& decoder) {
  if (!form.parameters) {
    if (form.layer_count)
      fail_at("layers", "a number of layers needs \"parameters\"; otherwise \"layers\" must be a list", node, decoder);
    return;
  }
  if (!form.layer_count) {
    fail_at("parameters",
            form.layers.empty() ? "\"layers\" is missing: the number of layers that share the parameters"
                                : "\"parameters\" has no effect here: the layers have their own tensors",
            node, decoder);
    return;
  }
  if (*form.parameters < *form.layer_count) {
    fail_at("layers",
            fmt::format("{} layers need at least as many parameters, not {}", *form.layer_count, *form.parameters),
            node, decoder);
    return;
  }
  form.layers = even_layers(*form.parameters, *form.layer_count);
  form.assumed = "layers of equal size and time";
}

} // namespace

Value<std::int64_t> parameter_count(std::int64_t most) {
  auto value = anything(R"(a number of parameters such as 335000000 or "335M" (k, M, B or T))");
  return {value.shape,
          [most](const Node& node, Decoder& decoder) -> std::optional<std::int64_t> {
            const bool whole = node.kind == Node::Kind::number && node.number == std::floor(node.number) &&
                               std::abs(node.number) <= static_cast<double>(most);
            const bool written = is_text(node) || node.kind == Node::Kind::integer || whole;
            const auto text = whole ? fmt::format("{:.0f}", node.number) : node.text;
            if (const auto count = written ? count_of(text, most) : std::nullopt) return count;
            decoder.fail(node.position, fmt::format("{} is not a number of parameters; expected a whole number from 1 "
                                                    "to {}, or one with k, M, B or T such as \"335M\"",
                                                    brief_text(node), most));
            return std::nullopt;
          },
          [](const std::int64_t& count) { return Node::of(count); }};
}

Value<std::string> gpu_name() {
  std::vector<std::string> names;
  for (const GpuCapacity& gpu : gpu_capacities()) names.emplace_back(gpu.name);
  return mapped<std::size_t, std::string>(
      product_name("a GPU", names), [names](std::size_t i) { return names[i]; },
      [names](const std::string& name) {
        return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
      });
}

WorkloadForm spelled_out(WorkloadForm form, const Node& node, Decoder& decoder) {
  make_layers(form, node, decoder);
  if (form.layers.empty()) return form;
  const bool in_short = form.parameters.has_value();
  const auto& own = form.compute;
  if (form.step) {
    if (!in_short && !has_flops(form))
      fail_at("step",
              has_times(form) ? "\"step\" has no effect here: the layers have their own times"
                              : "\"step\" needs layers with FLOPs, by which it is split",
              node, decoder);
    const double third = form.step->value() / 3;
    if (in_short)
      for (LayerForm& layer : form.layers) layer.flops_forward = 1;
    form.compute = ComputeForm{.forward = Seconds(third), .backward = Seconds(2 * third)};
  } else if (!form.gpu.empty() && !own && (in_short || has_flops(form))) {
    if (in_short)
      fail_at("gpu", "\"step\" is missing: the number of parameters does not determine the compute time", node,
              decoder);
    else if (!form.batch)
      fail_at("gpu", "\"batch\" (samples per rank and iteration) or \"step\" is missing", node, decoder);
    const auto* gpu = find_gpu_capacity(form.gpu);
    const double share = form.gpu_utilisation.value_or(assumed_utilisation);
    form.compute = ComputeForm{.gpu_rate = FlopRate(gpu->peak.value() * share)};
    form.assumed = fmt::format("{:.4g} % of {}'s {:.4g} TFLOP/s", 100 * share, form.gpu, gpu->peak.value() / 1e12);
  } else if (form.gpu_utilisation) {
    fail_at("gpu_utilisation", "\"gpu_utilisation\" has no effect here: the compute times do not come from the GPU",
            node, decoder);
  }
  return form;
}

} // namespace gradflight
