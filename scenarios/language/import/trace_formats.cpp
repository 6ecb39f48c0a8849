#include "scenarios/language/import/trace_formats.hpp"

#include "scenarios/language/import/kineto_trace.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace gradflight {
namespace {

constexpr std::array formats = {
    TraceFormat{"kineto", "PyTorch profiler, plain or gzip", "PyTorch profiler",
                [](const std::string& path) { return read_kineto(path); }},
};

} // namespace

std::span<const TraceFormat> trace_formats() { return formats; }

const TraceFormat& trace_format(const std::string& name) {
  const auto* const found = std::ranges::find(formats, name, [](const TraceFormat& f) { return std::string(f.name); });
  if (found == formats.end()) throw std::invalid_argument("unknown trace format " + name);
  return *found;
}

std::vector<std::string> trace_format_names() {
  std::vector<std::string> names;
  for (const TraceFormat& format : formats) names.emplace_back(format.name);
  return names;
}

} // namespace gradflight
