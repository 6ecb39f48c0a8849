#include "models/collectives/element_type.hpp"
#include "scenarios/language/tables/tables.hpp"
#include "scenarios/language/tables/workload_form.hpp"
#include "scenarios/language/tables/workload_short.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace gradflight {
namespace {

/// Returns nothing if the product exceeds max_elements.
std::optional<std::int64_t> product(const std::vector<std::int64_t>& shape) {
  std::int64_t elements = 1;
  for (const auto size : shape) {
    if (elements > max_elements / size) return std::nullopt;
    elements *= size;
  }
  return elements;
}

/// A size in bytes. make_workload knows the element type, and converts it to elements.
Value<double> bytes_of_elements() {
  auto size = quantity_value(Dimension::bytes, true);
  size.read = [read = size.read](const Node& node, Decoder& decoder) -> std::optional<double> {
    const auto bytes = read(node, decoder);
    if (!bytes || *bytes <= dense_bytes(max_elements)) return bytes;
    decoder.fail(node.position, fmt::format("{} is more than a workload may have (2^53 bytes)", brief_text(node)));
    return std::nullopt;
  };
  return size;
}

/// The short names come first, since they are the ones to show. Frameworks and nccl-tests write others.
Value<Element> element_value() {
  std::vector<std::string> names;
  for (const auto& [name, element] : elements_by_name) names.emplace_back(name);
  for (const std::string& name : element_type_names())
    if (element_named(name) && std::ranges::find(names, name) == names.end()) names.push_back(name);
  return mapped<std::size_t, Element>(
      product_name("an element type", names), [names](std::size_t i) { return element_named(names[i]).value(); },
      [](const Element& element) { return static_cast<std::size_t>(element); });
}

Value<std::int64_t> shape_of_elements() {
  auto sizes = list(integer64(1, max_elements), 1);
  Value<std::int64_t> value{sizes.shape, {}, {}};
  value.read = [read = sizes.read](const Node& node, Decoder& decoder) -> std::optional<std::int64_t> {
    const auto shape = read(node, decoder);
    if (!shape) return std::nullopt;
    auto elements = product(*shape);
    if (!elements) decoder.fail(node.position, fmt::format("{} is more than 2^53 bytes", brief_text(node)));
    return elements;
  };
  value.show = [show = sizes.show](const std::int64_t& elements) { return show({elements}); };
  return value;
}

const Table<TensorForm>& tensor_table() {
  static const auto table = [] {
    Table<TensorForm> t("tensor",
                        "A gradient tensor. Give its size by exactly one of `elements`, `bytes` and `shape`.");
    const auto unsized = [](const TensorForm& tensor) { return tensor.elements == 0 && !tensor.bytes; };
    const auto size = [&](const char* key, Value<std::int64_t> value, bool shown, const char* doc) {
      t.custom<std::int64_t>(
           key, std::move(value), [](TensorForm& tensor, std::int64_t elements) { tensor.elements = elements; },
           [shown](const TensorForm& tensor) { return shown ? std::optional(tensor.elements) : std::nullopt; }, doc)
          .only([=](const TensorForm& tensor) { return shown || unsized(tensor); },
                "exactly one of elements, bytes and shape");
    };
    t.defaulted("name", &TensorForm::name, text(), "A name for readers. Absent: tensor0, tensor1, ...");
    size("elements", integer64(1, max_elements), true, "Number of elements.");
    t.info.fields.back().only.clear();
    t.maybe("bytes", &TensorForm::bytes, bytes_of_elements(),
            "Size before any compression: a multiple of the element's width, 4 B for fp32.")
        .only(unsized, "exactly one of elements, bytes and shape");
    size("shape", shape_of_elements(), false, "Size of each dimension.");
    t.maybe("element", &TensorForm::element, element_value(),
            "Type of its elements while ranks exchange them: fp32 has 4 bytes, bf16 and fp16 2, fp8 1. Absent: the "
            "workload's.");
    t.finally([unsized](const TensorForm& tensor, const Node& written, Decoder& decoder) {
      if (unsized(tensor)) decoder.fail(written.position, "the tensor has no size: give elements, bytes or shape");
    });
    return t;
  }();
  return table;
}

Value<double> operations() {
  auto flops = quantity_value(Dimension::flops, false);
  return either<double>(number(0, unlimited), std::move(flops), is_number, [](const double&) { return true; });
}

const Table<LayerForm>& layer_table() {
  static const auto table = [] {
    Table<LayerForm> t("layer",
                       "A layer of the network, in forward order. Gradients become ready from the last to the first.");
    t.defaulted("name", &LayerForm::name, text(), "A name for readers. Absent: layer0, layer1, ...");
    t.defaulted("forward", &LayerForm::forward, seconds(), "Time of the forward pass at compute_speed 1.");
    t.defaulted("backward", &LayerForm::backward, seconds(), "Time of the backward pass.");
    t.maybe("flops_forward", &LayerForm::flops_forward, operations(),
            "Operations of the forward pass for one sample (a multiply-add counts as two), for `compute`. Absent: 0.");
    t.maybe("flops_backward", &LayerForm::flops_backward, operations(),
            "Operations of the backward pass for one sample, for `compute`. Absent: twice flops_forward.");
    t.defaulted("tensors", &LayerForm::tensors, list(object(tensor_table())),
                "Its gradient tensors in forward order; empty for pooling or activation.");
    return t;
  }();
  return table;
}

const Table<ComputeForm>& compute_table() {
  static const auto table = [] {
    Table<ComputeForm> t("compute", "Computes layer times from measured totals, or from operations and a rate.");
    const auto measured = [](const ComputeForm& c) { return !c.gpu_rate; };
    t.maybe("gpu_rate", &ComputeForm::gpu_rate, positive<FlopRate>(),
            "Sustained compute rate: a layer takes flops * batch / rate. Absent: totals are split over the layers.");
    t.maybe("backward_rate", &ComputeForm::backward_rate, positive<FlopRate>(),
            "Sustained compute rate of the backward pass. Absent: gpu_rate.")
        .only([](const ComputeForm& c) { return c.gpu_rate.has_value(); }, "gpu_rate");
    t.maybe("total", &ComputeForm::total, quantity<Seconds>(),
            "Time of the forward and backward pass of the whole model together, per iteration.")
        .only(measured, "compute without gpu_rate");
    t.maybe("forward", &ComputeForm::forward, quantity<Seconds>(),
            "Time of the forward pass of the whole model, per iteration.")
        .only([measured](const ComputeForm& c) { return measured(c) && !c.total; }, "neither gpu_rate nor total");
    t.maybe("backward", &ComputeForm::backward, quantity<Seconds>(),
            "Time of the backward pass of the whole model, per iteration.")
        .only([measured](const ComputeForm& c) { return measured(c) && !c.total; }, "neither gpu_rate nor total");
    t.defaulted("split", &ComputeForm::split,
                choice<Split>("a way to split", {{"flops", Split::flops}, {"given", Split::given}}),
                "How the totals are split over the layers. flops: by their operations, which is an assumption. given: "
                "in proportion to the times of the layers.")
        .only(measured, "compute without gpu_rate");
    t.maybe("update", &ComputeForm::update, quantity<Seconds>(), "Like `update` of the workload.");
    t.maybe("batch", &ComputeForm::batch, integer64(1, max_iterations), "Like `batch` of the workload.");
    t.finally([](const ComputeForm& c, const Node& written, Decoder& decoder) {
      if (!c.gpu_rate && !c.total && !(c.forward && c.backward))
        decoder.fail(written.position, "compute needs \"gpu_rate\", \"total\", or \"forward\" and \"backward\"");
    });
    return t;
  }();
  return table;
}

/// A list of layers with their tensors, or a number of equal layers.
struct LayersForm {
  std::optional<std::int64_t> count{};
  std::vector<LayerForm> each{};
};

Value<LayersForm> layers_value() {
  auto count = mapped<std::int64_t, LayersForm>(
      integer64(1, max_ranks),
      [](std::int64_t n) {
        return LayersForm{n, {}};
      },
      [](const LayersForm& layers) { return layers.count.value_or(0); });
  auto each = mapped<std::vector<LayerForm>, LayersForm>(
      list(object(layer_table()), 1),
      [](std::vector<LayerForm> l) {
        return LayersForm{{}, std::move(l)};
      },
      [](const LayersForm& layers) { return layers.each; });
  return either<LayersForm>(std::move(count), std::move(each), is_number,
                            [](const LayersForm& layers) { return layers.count.has_value(); });
}

const Table<WorkloadForm>& workload_table() {
  static const auto table = [] {
    Table<WorkloadForm> t("workload", "What a training step computes, and the gradients it makes.");
    t.info.extendable = t.info.by_path = true;
    t.info.kind = kind_field("workload");
    t.info.one_of = {"layers", "tensors"};
    t.defaulted("name", &WorkloadForm::name, text(), "A name for readers.").for_people();
    t.defaulted("source", &WorkloadForm::source, text(), "Source of the values, for readers.").for_people();
    t.info.catalogue_key = "model";
    t.info.catalogue_folders = {"workloads/models", "workloads/networks"};
    t.custom<std::string>(
         "model", text(), [](WorkloadForm&, const std::string&) {},
         [](const WorkloadForm&) { return std::optional<std::string>(); },
         "A model of the catalogue to start from (docs/workloads.md); also give \"step\", or \"gpu\" and \"batch\". A "
         "name may also replace the workload object, if it neither ends in .json nor contains /. Absent: none.")
        .for_people();
    t.custom<LayersForm>(
        "layers", layers_value(),
        [](WorkloadForm& w, LayersForm layers) {
          w.layer_count = layers.count;
          w.layers = std::move(layers.each);
        },
        [](const WorkloadForm& w) {
          return std::optional(LayersForm{{}, w.layers});
        },
        "The layers in forward order, or with `parameters` the number of equal layers. Give either these or "
        "`tensors`.");
    t.maybe("parameters", &WorkloadForm::parameters, parameter_count(max_elements),
            "Short form: the total number of parameters, divided into one tensor per layer; the first tensors get the "
            "remainder. Needs `layers` as a number. Absent: the tensors give it.");
    t.custom<std::vector<TensorForm>>(
         "tensors", list(object(tensor_table()), 1),
         [](WorkloadForm& w, std::vector<TensorForm> tensors) {
           w.layers = {LayerForm{.name = "layer0", .tensors = std::move(tensors)}};
         },
         [](const WorkloadForm&) -> std::optional<std::vector<TensorForm>> { return std::nullopt; },
         "Short form: one layer with these tensors and without compute time.")
        .only([](const WorkloadForm& w) { return w.layers.empty() && !w.layer_count && !w.parameters; },
              "a workload without layers");
    t.maybe("element", &WorkloadForm::element, element_value(),
            "Type of the elements of gradients while ranks exchange them, and of the parameters that come back. fp32 "
            "has 4 bytes, bf16 and fp16 have 2, fp8 has 1. Absent: fp32.");
    t.maybe("update", &WorkloadForm::update, quantity<Seconds>(),
            "Time to apply the whole model's update on one rank. Absent: 0s.");
    t.maybe("batch", &WorkloadForm::batch, integer64(1, max_iterations),
            "Samples per rank and iteration. Absent: not known.");
    t.maybe("compute", &WorkloadForm::compute, object(compute_table()),
            "How layer times are computed. Absent: the layers have their own times.");
    t.maybe("step", &WorkloadForm::step, positive<Seconds>(),
            "Time of the forward and backward pass of the whole model on one GPU at `batch`, in the ratio 1 : 2. It is "
            "split over the layers by operations (with `parameters`, evenly). Absent: other keys give the times.")
        .only([](const WorkloadForm& w) { return !w.compute; }, "a workload without compute");
    t.custom<std::string>(
         "gpu", gpu_name(), [](WorkloadForm& w, std::string name) { w.gpu = std::move(name); },
         [](const WorkloadForm& w) { return w.gpu.empty() ? std::nullopt : std::optional(w.gpu); },
         "The GPU that computes; Gradflight compares its memory with the need of the model. If layers have operations "
         "and neither `step` nor `compute` is given, a layer takes batch x operations / (gpu_utilisation x peak rate).")
        .for_people();
    t.maybe("gpu_utilisation", &WorkloadForm::gpu_utilisation, number(0, 1, true),
            "Share of the peak rate of the GPU that training reaches. Absent: 0.4, which is reported as assumed.")
        .only([](const WorkloadForm& w) { return !w.gpu.empty() && !w.step && !w.compute; },
              "gpu, without step and compute");
    t.custom<std::string>(
         "assumed", text(), [](WorkloadForm& w, std::string what) { w.assumed = std::move(what); },
         [](const WorkloadForm& w) { return w.assumed.empty() ? std::nullopt : std::optional(w.assumed); },
         "The part of the workload that was not measured, for readers; the summary repeats it.")
        .for_people();
    t.finally([](const WorkloadForm& w, const Node& written, Decoder& decoder) {
      if (w.layers.empty() && !w.layer_count && !w.parameters)
        decoder.fail(written.position, "the workload has neither \"layers\" nor \"tensors\"");
    });
    return t;
  }();
  return table;
}

} // namespace

Value<Workload> workload_value() {
  auto form = object(workload_table());
  return {form.shape,
          [read = form.read](const Node& node, Decoder& decoder) -> std::optional<Workload> {
            if (auto f = read(node, decoder)) return make_workload(*f, node, decoder);
            return std::nullopt;
          },
          [show = form.show](const Workload& workload) { return show(form_of(workload)); }};
}

} // namespace gradflight
