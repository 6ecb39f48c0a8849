// `calibrate PACK`: a pack's parameters fitted to its declared figures, written where they stand, and tried on others.
#include "analysis/fits_text.hpp"
#include "analysis/human.hpp"
#include "analysis/output_file.hpp"
#include "analysis/scoreboard_text.hpp"
#include "scenarios/edit_text.hpp"
#include "scenarios/json_reader.hpp"
#include "scenarios/shape.hpp"
#include "sim/cli/calibrate.hpp"
#include "sim/cli/children.hpp"
#include "sim/cli/console.hpp"
#include "sim/cli/exit_codes.hpp"
#include "sim/cli/pack_fit.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace gradflight::cli {
namespace {

namespace fs = std::filesystem;

constexpr int value_digits = 5, uncertainty_digits = 2; ///< as written

struct Calibrated {
  std::vector<double> values;
  std::vector<std::optional<double>> uncertainties;
};

std::string note_of(const FittedParameter& p) {
  if (!p.identified) return "not determined by these figures";
  return p.at_bound ? "at a bound: the figures pull beyond it" : "";
}

void print_fit(const Pack& pack, const PackFit& fit, const Calibrated& calibrated, const FitResult& result,
               const std::vector<double>& errors) {
  std::string text;
  for (std::size_t i = 0; i < fit.parameters.size(); ++i) {
    const auto& p = pack.parameters[fit.parameters[i]];
    const auto& uncertainty = calibrated.uncertainties[fit.parameters[i]];
    auto line = fmt::format("  {} = {} +- {}  within {} .. {}  {}", p.name,
                            p.text(calibrated.values[fit.parameters[i]]), uncertainty ? p.text(*uncertainty) : "?",
                            p.text(p.low), p.text(p.high), note_of(result.parameters[i]));
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  for (std::size_t i = 0; i < fit.figures.size(); ++i) {
    const auto& published = pack.figures[fit.figures[i]].published;
    text +=
        fmt::format("    {:<36}  {:>12}  {:>9}\n", published.id, value_text(published.value), human_error(errors[i]));
  }
  print_result(text);
  if (!result.converged) print_message(fmt::format("not converged after {} evaluations\n", result.evaluations));
}

/// Uncertainties from the residuals, or, where there are as many parameters as figures and so no residuals, from how
/// far the predicted figures lie off.
void add_uncertainties(const PackFit& fit, const FitResult& result, PackFitter& fitter, double scatter,
                       Calibrated& calibrated, const Pack& pack) {
  auto parameters = result.parameters;
  const bool known = std::ranges::all_of(parameters, [](const auto& p) { return std::isfinite(p.uncertainty); });
  if (!known && scatter > 0) parameters = fitter.uncertainties(fit, calibrated.values, scatter);
  for (std::size_t i = 0; i < fit.parameters.size(); ++i) {
    const auto p = fit.parameters[i];
    if (std::isfinite(parameters[i].uncertainty))
      calibrated.uncertainties[p] = pack.parameters[p].rounded(parameters[i].uncertainty, uncertainty_digits);
  }
}

/// Every fit of the pack in order, each with the values that those before it found.
Calibrated fit_all(const Pack& pack, PackFitter& fitter) {
  Calibrated calibrated{fitter.written(), std::vector<std::optional<double>>(pack.parameters.size())};
  std::vector<FitResult> results;
  for (const auto& fit : pack.fits) {
    results.push_back(fitter.fit(fit.parameters, fit.figures, calibrated.values, {.tolerance = 1e-6}));
    for (const auto p : fit.parameters) {
      const auto& parameter = pack.parameters[p];
      calibrated.values[p] =
          std::clamp(parameter.rounded(calibrated.values[p], value_digits), parameter.low, parameter.high);
    }
  }
  const double scatter = fitter.scatter(calibrated.values);
  for (std::size_t i = 0; i < results.size(); ++i) {
    add_uncertainties(pack.fits[i], results[i], fitter, scatter, calibrated, pack);
    print_fit(pack, pack.fits[i], calibrated, results[i], fitter.errors(pack.fits[i].figures, calibrated.values));
  }
  flush_result(); // what follows may take minutes
  return calibrated;
}

std::string json_of(const PackParameter& p, double value) {
  return p.dimension ? json_string(p.text(value)) : p.text(value);
}

/// `edit` applied to the file's text, whole or not at all.
template <class Edit> void rewrite(const std::string& file, Edit edit) {
  auto content = read_file(file);
  if (!content.error.empty()) throw OutputError(fmt::format("{}: {}", file, content.error));
  std::string text;
  try {
    text = edit(content.text);
  } catch (const ChangedMeanwhile& changed) {
    throw OutputError(fmt::format("{} changed during the fit: {}; run again", file, changed.what()));
  }
  if (text == content.text) return;
  OutputFile out(file);
  out.write(text);
  out.commit();
  print_message(fmt::format("{} written\n", file));
}

void write(const Pack& pack, const Calibrated& calibrated) {
  std::map<std::string, std::vector<ScalarEdit>> edits;
  for (std::size_t i = 0; i < pack.parameters.size(); ++i)
    for (const auto& at : pack.parameters[i].at)
      edits[pack.parameters[i].file].push_back({at, json_of(pack.parameters[i], calibrated.values[i])});
  for (const auto& entry : edits)
    rewrite(entry.first, [&](const std::string& text) { return with_scalars(text, entry.second); });
  rewrite(pack.file, [&](std::string text) {
    for (std::size_t i = 0; i < pack.parameters.size(); ++i) {
      const auto& p = pack.parameters[i];
      const auto& uncertainty = calibrated.uncertainties[i];
      text = uncertainty ? with_scalar_member(std::move(text), p.pointer, "uncertainty", json_of(p, *uncertainty))
                         : without_scalar_member(std::move(text), p.pointer, "uncertainty");
    }
    return text;
  });
}

/// What was kept before for this very pack, and what is new.
void keep(const std::string& path, const PackFits& fresh) {
  const auto checked = check_pack(path); // as it is now
  auto fits = fresh;
  fits.digest = digest_of(checked);
  if (const auto before = load_fits(checked.pack); before && before->digest == fits.digest) {
    if (fits.transfers.empty()) fits.transfers = before->transfers;
    if (!fits.cross_validation) fits.cross_validation = before->cross_validation;
  }
  OutputFile out(fits_path(checked.pack));
  out.write(fits_json(fits));
  out.commit();
  print_message(fmt::format("{} written\n", fits_path(checked.pack)));
}

/// A line as each fit ends: together they take minutes, and a run that is stopped early has said what it found.
void tell_ended(const std::string& which, double median, double p90, int evaluations) {
  print_message(fmt::format("{}: median {}, 90th percentile {}, {}\n", which, human_percent(median), human_percent(p90),
                            counted(evaluations, "evaluation")));
}

int run(const CalibrateOptions& options) {
  const auto checked = check_pack(options.file.string());
  const auto& pack = checked.pack;
  if (pack.parameters.empty()) throw NotFittable("this pack has no fitted numbers");
  Simulations simulations(options.jobs > 0 ? options.jobs : usable_cores());
  PackFitter fitter(checked, simulations);
  print_result(fmt::format("{}  {}\n", pack.paper, pack.file));
  const auto calibrated = fit_all(pack, fitter);
  PackFits fits;
  if (options.transfer) {
    for (const auto& transfer : pack.transfers) {
      fits.transfers.push_back(fitter.transfer(transfer, [&](double median, double p90, int evaluations) {
        tell_ended("transfer " + transfer.name, median, p90, evaluations);
      }));
      print_result(hung_text(transfer_text(fits.transfers.back()), "  "));
      flush_result();
    }
  }
  if (options.random_sets > 0) {
    int ended = 0;
    fits.cross_validation =
        fitter.cross_validate(options.random_sets, options.seed, [&](double median, double p90, int evaluations) {
          tell_ended(fmt::format("set {} of {}", ++ended, options.random_sets), median, p90, evaluations);
        });
    print_result(hung_text(cross_validation_text(*fits.cross_validation), "  "));
    flush_result();
  }
  if (options.write) {
    write(pack, calibrated);
    if (!fits.transfers.empty() || fits.cross_validation) keep(options.file.string(), fits);
  }
  print_message(fmt::format("{} simulated\n", counted(static_cast<std::int64_t>(simulations.count()), "scenario")));
  return done;
}

} // namespace

int calibrate_pack(const CalibrateOptions& options) {
  try {
    return run(options);
  } catch (const ExperimentsFailed& failed) {
    flush_result();
    print_message(fmt::format("{}gradflight calibrate: no fit without these experiments\n", failed.what()));
    return simulation_failed;
  } catch (const NotFittable& why) {
    flush_result();
    print_message(fmt::format("gradflight calibrate: {}\n", why.what()));
    return bad_input;
  }
}

} // namespace gradflight::cli
