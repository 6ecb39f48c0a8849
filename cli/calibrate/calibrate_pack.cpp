// `calibrate PACK`: fits a pack's parameters to its declared figures, writes them into the pack, and tests them on
// other figures.
#include "analysis/evidence/reproduction/pack_calibration.hpp"
#include "analysis/evidence/reproduction/pack_sensitivity.hpp"
#include "analysis/evidence/reproduction/scoreboard_output.hpp"
#include "analysis/run/files/output_file.hpp"
#include "analysis/run/runner.hpp"
#include "analysis/run/text/report_text.hpp"
#include "base/human.hpp"
#include "cli/calibrate/calibrate.hpp"
#include "cli/terminal/console.hpp"
#include "cli/terminal/exit_codes.hpp"
#include "cli/terminal/sweep_progress.hpp"

#include <fmt/format.h>
#include <optional>

namespace gradflight::cli {
namespace {

/// Prints each result immediately. The fit takes minutes, and its files must still be written if standard output fails
/// (a full disk). So this error is reported at the end.
class Results {
public:
  void print(const std::string& text) {
    try {
      print_result(text);
      flush_result();
    } catch (const ResultLost& error) {
      if (lost_.empty()) lost_ = error.what();
    }
  }
  void end() const {
    if (!lost_.empty()) throw ResultLost(lost_);
  }

private:
  std::string lost_;
};

std::string note_of(const FittedParameter& p) {
  if (!p.identified) return "not determined by these figures";
  return p.at_bound ? "at a bound: a better fit lies beyond it" : "";
}

void print_fit(const Pack& pack, const PackFit& fit, const Calibrated& calibrated, const FitResult& result,
               const std::vector<double>& errors, Results& results) {
  std::string text;
  for (std::size_t i = 0; i < fit.parameters.size(); ++i) {
    const auto& p = pack.parameters[fit.parameters[i]];
    const auto& uncertainty = calibrated.uncertainties[fit.parameters[i]];
    text += table_line(fmt::format(
        "  {} = {} +- {}  within {} .. {}  {}", p.name, p.text(calibrated.values[fit.parameters[i]]),
        uncertainty ? p.text(*uncertainty) : "?", p.text(p.low), p.text(p.high), note_of(result.parameters[i])));
  }
  for (std::size_t i = 0; i < fit.figures.size(); ++i) {
    const auto& published = pack.figures[fit.figures[i]].published;
    text +=
        fmt::format("    {:<36}  {:>12}  {:>9}\n", published.id, value_text(published.value), human_error(errors[i]));
  }
  results.print(text);
  if (!result.converged) print_message(fmt::format("not converged after {} evaluations\n", result.evaluations));
}

/// Prints a line after each fit. Together the fits take minutes, and a run that the user stops early has printed its
/// results.
void print_fit_result(const std::string& which, double median, double p90, int evaluations) {
  print_message(fmt::format("{}: median {}, 90th percentile {}, {}\n", which, human_percent(median), human_percent(p90),
                            counted(evaluations, "evaluation")));
}

/// `values`: the calibrated numbers.
PackFits fit_parts(const CalibrateOptions& options, const Pack& pack, PackFitter& fitter,
                   const std::vector<double>& values, Results& results) {
  PackFits fits;
  if (options.transfer) {
    for (const auto& transfer : pack.transfers) {
      fits.transfers.push_back(fitter.transfer(transfer, [&](double median, double p90, int evaluations) {
        print_fit_result("transfer " + transfer.name, median, p90, evaluations);
      }));
      results.print(wrapped_text(transfer_text(fits.transfers.back()), "  "));
    }
  }
  if (options.random_sets > 0) {
    int ended = 0;
    fits.cross_validation =
        fitter.cross_validate(options.random_sets, options.seed, [&](double median, double p90, int evaluations) {
          print_fit_result(fmt::format("set {} of {}", ++ended, options.random_sets), median, p90, evaluations);
        });
    results.print(wrapped_text(cross_validation_text(*fits.cross_validation, fitter.own_errors(values)), "  "));
  }
  return fits;
}

int run(const CalibrateOptions& options) {
  auto checked = check_pack(options.files.front().string());
  const auto& pack = checked.pack;
  if (pack.parameters.empty()) throw NotFittable("the pack has no fitted numbers");
  std::optional<PackSensitivity> sensitivity; // all files are read before the fit
  if (options.random_sets > 0) sensitivity.emplace(checked, false);
  std::optional<PackWriter> writer;
  if (options.write) writer.emplace(checked, (options.transfer && !pack.transfers.empty()) || options.random_sets > 0);
  Simulations simulations(options.jobs > 0 ? options.jobs : usable_cores(), batch_progress());
  PackFitter fitter(checked, simulations);
  Results results;
  results.print(fmt::format("{}  {}\n", pack.paper, pack.file));
  const auto calibrated =
      fit_pack(pack, fitter, [&](const auto& fit, const auto& found, const auto& result, const auto& errors) {
        print_fit(pack, fit, found, result, errors, results);
      });
  if (writer) require_determined(pack, calibrated);
  // As on the scoreboard, which does not count dependent figures.
  if (sensitivity) mark_dependent(checked, *sensitivity, simulations);
  const auto fits = fit_parts(options, pack, fitter, calibrated.values, results);
  if (writer)
    for (const auto& file : writer->write(calibrated, fits)) print_message(fmt::format("{} written\n", file));
  print_message(fmt::format("{} simulated\n", counted(static_cast<std::int64_t>(simulations.count()), "scenario")));
  results.end();
  return done;
}

} // namespace

int calibrate_pack(const CalibrateOptions& options) {
  try {
    return run(options);
  } catch (const ExperimentsFailed& failed) {
    flush_result();
    print_message(
        fmt::format("{}gradflight calibrate: the fit needs these experiments, which failed\n", failed.what()));
    return simulation_failed;
  } catch (const NotFittable& why) {
    flush_result();
    print_message(fmt::format("gradflight calibrate: {}\n", why.what()));
    return bad_input;
  }
}

} // namespace gradflight::cli
