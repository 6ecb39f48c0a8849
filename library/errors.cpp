#include "library/errors.hpp"

#include <chrono>
#include <cstdint>

namespace gradflight {
inline namespace v1 {

InputError::InputError(const std::string& text, std::vector<Mistake> mistakes)
    : std::runtime_error(text), mistakes_(std::make_shared<const std::vector<Mistake>>(std::move(mistakes))) {}
InputError::~InputError() = default;
SimulationError::SimulationError(const std::string& text) : std::runtime_error(text) {}
SimulationError::~SimulationError() = default;
OutputError::OutputError(const std::string& text) : std::runtime_error(text) {}
OutputError::~OutputError() = default;

std::string version() { return GRADFLIGHT_VERSION; }

} // namespace v1
} // namespace gradflight

namespace gradflight_inside {

void refuse(const std::string& message) { throw gradflight::v1::InputError(message + '\n', {{"", 0, 0, "", message}}); }

void raise(const InputErrors& errors) {
  std::vector<gradflight::v1::Mistake> mistakes;
  for (const Diagnostic& d : errors.diagnostics()) mistakes.push_back({d.file, d.line, d.column, d.pointer, d.message});
  throw gradflight::v1::InputError(errors.format(), std::move(mistakes));
}

std::vector<std::string> sets_of(const gradflight::v1::Settings& settings) {
  std::vector<std::string> sets;
  for (const auto& [path, value] : settings) {
    if (path.empty() || path.find('=') != std::string::npos)
      refuse("a setting's path is \"" + path + "\": must be keys with dots between them, such as platform.nodes");
    sets.push_back(path + '=' + value);
  }
  return sets;
}

gradflight::BatchProgress part_of(const gradflight::v1::Progress& progress) {
  if (!progress) return {};
  return [&progress](std::int64_t done, std::int64_t of) {
    progress(of > 0 ? static_cast<double>(done) / static_cast<double>(of) : 0);
  };
}

Children::Children(const gradflight::v1::Progress& progress) {
  static std::timed_mutex one;
  held_ = std::unique_lock(one, std::defer_lock);
  while (!held_.try_lock_for(std::chrono::milliseconds(100)))
    if (progress) progress(0);
}

} // namespace gradflight_inside
