// `calibrate`: identifies the kind of file, and writes a platform with parameters from measured times.
#include "cli/calibrate/calibrate.hpp"

#include "analysis/evidence/calibration/calibration_text.hpp"
#include "analysis/run/files/output_file.hpp"
#include "analysis/run/runner.hpp"
#include "cli/terminal/console.hpp"
#include "cli/terminal/exit_codes.hpp"
#include "scenarios/language/json/diagnostics.hpp"
#include "scenarios/language/kinds/file_kinds.hpp"

#include <memory>

namespace gradflight::cli {
namespace {

/// Call before the simulations, so that a wrong name does not waste a fit.
std::unique_ptr<OutputFile> open_platform(const std::filesystem::path& path) {
  if (path.empty()) return nullptr;
  require_replaceable(path, calibrated_opening, "a platform of gradflight calibrate");
  return std::make_unique<OutputFile>(path);
}

int calibrate_measurements(const CalibrateOptions& options) {
  const Measurements measurements = load_measurements(options.files.front().string());
  CalibrationSettings settings;
  if (!options.fit_to.empty()) settings.fit_to = options.fit_to;
  settings.sets = options.sets;
  settings.above = options.above;
  settings.tolerance = options.tolerance;
  settings.jobs = options.jobs > 0 ? options.jobs : usable_cores();
  const auto out = open_platform(options.out);
  const Calibration calibration = calibrate(measurements, settings);
  if (out) {
    out->write(calibrated_platform(measurements, calibration));
    out->commit();
  }
  print_result(options.json ? calibration_json(measurements, calibration, settings)
                            : calibration_table(measurements, calibration, settings));
  return done;
}

} // namespace

int calibrate(const CalibrateOptions& options) {
  if (!options.platform.empty()) return calibrate_logs(options);
  const std::filesystem::path& file = options.files.front();
  if (options.files.size() > 1)
    throw InputErrors({{options.files[1].string(), 0, 0, "",
                        "calibrate takes one file; several logs of one machine need --platform FILE|MACHINE"}});
  if (file.extension() == ".csv") return calibrate_measurements(options);
  if (file.extension() == ".json") {
    const bool measured = read_any_file(file.string()).kind == FileKind::measured;
    return measured ? calibrate_measured_pack(options) : calibrate_pack(options);
  }
  throw InputErrors(
      {{file.string(), 0, 0, "",
        "expected measurements (*.csv) or a reproduction pack (*.json); a log needs --platform FILE|MACHINE"}});
}

} // namespace gradflight::cli
