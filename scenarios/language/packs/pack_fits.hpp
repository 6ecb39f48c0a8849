// Results of fits to parts of a pack's figures. They take minutes to compute, so a file beside the pack stores them.
#pragma once

#include "scenarios/language/packs/pack.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gradflight {

struct FittedValue {
  std::string name, value; ///< value such as "2Gbps"
};

/// A transfer: a fit to some figures that predicts others.
struct TransferResult {
  std::string name;
  std::int64_t fitted = 0, predicted = 0; ///< numbers of figures
  double median = 0, p90 = 0;             ///< of the absolute relative errors of the predicted figures
  std::vector<FittedValue> parameters;    ///< the fitted parameters
  /// Parameters that keep the pack's value, because no figure of the fit depends on them.
  std::vector<std::string> held;
  std::vector<std::string> left_out; ///< figures that a held parameter was fitted to; these are not predicted
};

/// Fits to random sets of figures; each predicts all other figures.
struct CrossValidation {
  std::int64_t seed = 0, size = 0, of = 0; ///< size: figures in a set; of: figures to draw from
  std::vector<double> medians, p90s;       ///< one entry per set
};

struct PackFits {
  std::string digest; ///< digest of the pack at the time of the fits
  std::vector<TransferResult> transfers;
  std::optional<CrossValidation> cross_validation;
};

/// Returns a path such as "scenarios/gtop-k/reproduce-fits.json".
std::string fits_path(const Pack& pack);
/// Returns nothing if the file does not exist. Throws InputErrors.
std::optional<PackFits> load_fits(const Pack& pack);
PackFits decode_fits(Document& document);
std::string fits_json(const PackFits& fits);

/// Returns a digest that changes with the pack, its published figures, or a scenario. `experiment_digests` contains the
/// scenario_digest of each experiment, in order.
std::string pack_digest(const Pack& pack, const std::vector<std::string>& experiment_digests);

} // namespace gradflight
