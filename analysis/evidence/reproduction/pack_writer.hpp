// What a calibration leaves: literals where they stand, uncertainties in the pack, and beside it what fits on parts of
// the figures say. All of it or nothing, and only over what the fit was made from.
#pragma once

#include "analysis/evidence/reproduction/pack_runs.hpp"
#include "scenarios/language/packs/pack_fits.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gradflight {

/// One for each parameter of the pack.
struct Calibrated {
  std::vector<double> values;
  std::vector<std::optional<double>> uncertainties;
  std::vector<bool> determined; ///< false: the value is the literal's, for the figures do not say
};

class PackWriter {
public:
  /// Before the fit, which takes minutes: reads what will be changed, and throws OutputError where a file cannot be
  /// written. `keeps_fits`: there will be fits to keep beside the pack. The pack must outlive the writer.
  PackWriter(const CheckedPack& checked, bool keeps_fits);

  /// Returns the files written. Throws OutputError, with nothing written, where a file is not what it was: the fit was
  /// to something else.
  std::vector<std::string> write(const Calibrated& calibrated, const PackFits& fresh) const;

private:
  void require_unchanged() const;
  [[nodiscard]] std::map<std::string, std::string> changed(const Calibrated& calibrated) const;
  [[nodiscard]] std::string fits_text(const Calibrated& calibrated, PackFits fits) const;

  const CheckedPack& checked_;
  const Pack& pack_;
  bool keeps_fits_;
  std::map<std::string, std::string> before_; ///< the files that will be changed, as they were; missing ones: empty
};

} // namespace gradflight
