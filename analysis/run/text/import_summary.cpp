#include "analysis/run/text/import_summary.hpp"

#include "base/human.hpp"
#include "models/units/units.hpp"
#include "workloads/code/buckets.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gradflight {
namespace {

/// The end of a workload's source.
constexpr std::string_view span_times = "; times on the GPU's timeline, waits for the CPU included";
constexpr std::string_view busy_times = "; kernel times only";

std::string ms(double seconds) { return fmt::format("{:.3f}", seconds * 1e3); }

std::string machine_text(const Trace& trace) {
  std::string text;
  if (!trace.device.empty()) text += ", on " + trace.device;
  if (trace.world_size > 0) text += fmt::format(", rank {} of {}", trace.rank, trace.world_size);
  return text;
}

std::string head(const Imported& in) {
  const Trace& trace = in.recorded.trace;
  std::string text = fmt::format("read {} events ({} bytes): {} kernels, {} differentiable operators",
                                 in.recorded.events, in.recorded.bytes, trace.kernels.size(), trace.ops.size());
  text += machine_text(trace);
  const auto lost = std::ranges::count_if(trace.kernels, [](const TraceKernel& kernel) { return kernel.launched < 0; });
  if (lost > 0) text += fmt::format("\n{} kernels could not be matched to their launch and are not counted", lost);
  if (in.not_finite > 0)
    text += fmt::format("\nskipped {} with NaN or infinity, which the import does not need",
                        counted(static_cast<std::int64_t>(in.not_finite), "number"));
  const bool numbered = std::ranges::any_of(trace.ops, [](const TraceOp& op) { return op.sequence >= 0; });
  if (!numbered)
    text += "\nno operator has a sequence number, so layers cannot be distinguished: record with PyTorch's profiler, "
            "activities CPU and CUDA";
  return text + "\n";
}

std::string step_table(const Imported& in) {
  std::string text = fmt::format("{}, by {}\n  {:24} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}  (ms on the GPU)\n",
                                 counted(std::ssize(in.steps), "step"), in.found.found_by, "step", "duration", "before",
                                 "forward", "backward", "exposed", "update");
  constexpr std::size_t around = 6; // steps near the chosen one, if there are many
  for (std::size_t i = 0; i < in.steps.size(); ++i) {
    if (i + around < in.chosen || i > in.chosen + around) continue;
    const StepTimes& step = in.steps[i];
    text += fmt::format("{} {:24} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n", i == in.chosen ? '*' : ' ',
                        step.name.substr(0, 24), ms(step.end - step.begin), ms(step.before.span), ms(step.forward()),
                        ms(step.backward()), ms(step.communication_end - step.backward_end), ms(step.update.span));
  }
  return text + fmt::format("used: {}{}\n", in.steps[in.chosen].name, in.median ? ", the median step" : "");
}

std::string collective_table(const StepTimes& step) {
  if (step.collectives.empty()) return "no collectives recorded in this step\n";
  std::string text =
      fmt::format("collectives of this step (ms since its begin)\n  {:14} {:>12} {:>8} {:>6} {:>6} {:>9} {:>9} {:>9}\n",
                  "operation", "bytes", "dtype", "group", "stream", "ready", "begin", "duration");
  bool others = false;
  for (const TraceCollective& c : step.collectives) {
    const auto since = [&](double time) { return ms(time - step.begin); };
    text += fmt::format("{} {:14} {:>12} {:>8} {:>6} {:>6} {:>9} {:>9} {:>9}\n", c.gradient ? '*' : ' ', c.operation,
                        c.bytes >= 0 ? fmt::format("{:.0f}", c.bytes) : "?", c.dtype.empty() ? "?" : c.dtype,
                        c.group > 0 ? std::to_string(c.group) : "?", c.stream >= 0 ? std::to_string(c.stream) : "-",
                        c.ready >= 0 ? since(c.ready) : "-", c.kernel ? since(c.kernel->begin) : "-",
                        c.kernel ? ms(c.kernel->end - c.kernel->begin) : "-");
    others = others || !c.gradient;
  }
  text += "* gradients; a kernel's duration includes waiting for slower ranks\n";
  if (others) text += "collectives without * are not part of the workload\n";
  return text;
}

/// Returns sentences about the time that collectives waited for slower ranks.
std::string waiting_text(const Imported& in) {
  if (in.ranks < 2) return {};
  if (in.waits.empty()) return "no collective has a kernel on every rank, so waits for slower ranks are not known\n";
  constexpr std::size_t most = 8;
  double mean = 0, waited = 0;
  std::string each;
  for (std::size_t i = 0; i < in.waits.size(); ++i) {
    mean += in.waits[i].mean;
    waited += in.waits[i].waited;
    if (i < most)
      each += fmt::format("{}{} of {} ms of {} {}", i == 0 ? "" : ", ", ms(in.waits[i].waited), ms(in.waits[i].mean),
                          in.waits[i].operation, i);
  }
  if (in.waits.size() > most) each += fmt::format(", and {} more", in.waits.size() - most);
  std::string text =
      fmt::format("Over {} ranks, {} of {} ms of the collectives ({:.0f} %) were waiting for slower ranks: {}.\n",
                  in.ranks, ms(waited), ms(mean), mean > 0 ? 100 * waited / mean : 0.0, each);
  if (const auto missing = in.job_ranks - static_cast<std::int64_t>(in.ranks); missing > 0)
    text += fmt::format(
        "The traces of {} other ranks of this job are missing: waits for slower ones are not counted.\n", missing);
  return text;
}

/// Compares the recorded buckets with PyTorch's default buckets of the workload's tensors.
std::string bucket_note(const Imported& in) {
  const auto recorded = in.steps[in.chosen].gradient_buckets();
  if (!in.by_model || recorded.empty()) return {};
  Granularity ddp;
  ddp.kind = Granularity::Kind::ddp;
  ddp.bytes = 25.0 * 1024 * 1024;
  const auto buckets = make_buckets(in.workload, ddp);
  const bool sized =
      std::ranges::all_of(recorded, [](const TraceCollective* collective) { return collective->bytes >= 0; });
  const bool same = std::ranges::equal(buckets, recorded, [&](const Bucket& bucket, const TraceCollective* collective) {
    // A tensor of another type is rounded up to whole words.
    const double more = bucket.bytes() - collective->bytes;
    return in.types.words == 0 ? more == 0 : more >= 0 && more < element_bytes * bucket.tensors;
  });
  double made = 0, found = 0;
  for (const Bucket& bucket : buckets) made += bucket.bytes();
  for (const TraceCollective* collective : recorded) found += collective->bytes;
  return fmt::format("granularity {{\"ddp_bucket\": \"25MiB\"}} makes {}; recorded: {}{}\n",
                     counted(std::ssize(buckets), "bucket"), recorded.size(),
                     !sized          ? ", of sizes that the trace does not say"
                     : same          ? ", of the same sizes"
                     : made == found ? ", of other sizes"
                                     : fmt::format(", of other sizes: the model has {:.0f} bytes of gradients, the "
                                                   "recorded step {:.0f}; check that --model is the recorded model",
                                                   made, found));
}

/// Returns the element type of the workload's tensors and its reason, if it is not the default.
std::string types_text(const Imported& in) {
  const auto& names = in.types.names;
  if (names.empty() || (names.size() == 1 && names.front() == "fp32")) return {};
  if (!in.by_model && in.types.words == 0)
    return fmt::format("gradients were recorded as {}, and so are the workload's tensors\n", fmt::join(names, " and "));
  if (in.types.words > 0)
    return fmt::format("gradients were recorded as {}, with {} bytes an element: tensors count the words of 4 bytes "
                       "that they fill\n",
                       names.front(), in.types.words);
  if (names.size() == 1)
    return fmt::format("gradients were recorded as {}: the workload's tensors are {}\n", names.front(), names.front());
  return fmt::format(
      "gradients were recorded as {}. Tensors for which the model names no type are {}, the type with most bytes\n",
      fmt::join(names, " and "), name_of(in.types.element.value_or(Element::fp32)));
}

} // namespace

std::string import_source(const Imported& in, const ImportOrigin& origin) {
  std::string text = fmt::format("Measured: {} of {}, {}", in.steps[in.chosen].name, origin.trace.filename().string(),
                                 origin.recorder);
  text += machine_text(in.recorded.trace);
  text += origin.times == TraceTimes::span ? span_times : busy_times;
  if (in.ranks > 1) text += fmt::format("; the slowest of {} ranks in each stage", in.ranks);
  if (in.by_model) text += fmt::format("; tensors of {}", origin.model.filename().string());
  if (in.by_model && in.types.words > 0)
    text += fmt::format(", counted in words of 4 bytes: {} bytes an element were recorded", in.types.words);
  return text;
}

bool is_imported_workload(std::string_view begin) {
  const auto has = [&](std::string_view part) { return begin.find(part) != std::string_view::npos; };
  return begin.starts_with("{\n  \"name\": \"") && has("\",\n  \"source\": \"Measured: ") &&
         (has(span_times) || has(busy_times));
}

std::string import_summary(const Imported& in) {
  std::string text =
      head(in) + step_table(in) + collective_table(in.steps[in.chosen]) + waiting_text(in) + bucket_note(in);
  text += types_text(in);
  std::int64_t tensors = 0;
  for (const Layer& layer : in.workload.layers) tensors += std::ssize(layer.tensors);
  text += fmt::format("workload: {}, {}, {}", counted(std::ssize(in.workload.layers), "layer"),
                      counted(tensors, "tensor"), counted(in.workload.elements(), "element"));
  if (!in.by_model) text += "; a layer is an all-reduce, so run it with granularity \"tensor\"";
  if (!in.steps[in.chosen].has_backward) text += "\nthe step has no backward pass: backward and update are 0";
  return text + "\n";
}

} // namespace gradflight
