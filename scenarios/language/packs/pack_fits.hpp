// What fits on parts of a pack's figures say of the rest: computed in minutes, so kept in a file beside the pack.
#pragma once

#include "scenarios/language/packs/pack.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gradflight {

struct FittedValue {
  std::string name, value; ///< "2Gbps"
};

/// A transfer: fitted on some figures, predicting others.
struct TransferResult {
  std::string name;
  std::int64_t fitted = 0, predicted = 0; ///< figures
  double median = 0, p90 = 0;             ///< of the predicted figures' absolute relative errors
  std::vector<FittedValue> parameters;    ///< those that were fitted
  std::vector<std::string> held;          ///< those that keep the pack's value: no figure fitted to depends on them
  std::vector<std::string> left_out;      ///< figures that a held parameter was fitted to: not predicted
};

/// Fits on random sets of figures, each predicting all others.
struct CrossValidation {
  std::int64_t seed = 0, size = 0, of = 0; ///< figures in a set, and to draw from
  std::vector<double> medians, p90s;       ///< one for each set
};

struct PackFits {
  std::string digest; ///< of the pack that they were made with
  std::vector<TransferResult> transfers;
  std::optional<CrossValidation> cross_validation;
};

/// "scenarios/gtop-k/reproduce-fits.json"
std::string fits_path(const Pack& pack);
/// Nothing where there is no such file. Throws InputErrors.
std::optional<PackFits> load_fits(const Pack& pack);
PackFits decode_fits(Document& document);
std::string fits_json(const PackFits& fits);

/// Changes when the pack, its published figures or a scenario does (`experiment_digests`: scenario_digest of each, in
/// order).
std::string pack_digest(const Pack& pack, const std::vector<std::string>& experiment_digests);

} // namespace gradflight
