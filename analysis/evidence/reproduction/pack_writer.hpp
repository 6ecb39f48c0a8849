// Writes the results of a calibration: literals in their files, uncertainties in the pack, and a file with fits to
// parts of the figures. It writes all files or none, and only if the input of the fit has not changed.
#pragma once

#include "analysis/evidence/reproduction/pack_runs.hpp"
#include "scenarios/language/packs/pack_fits.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gradflight {

/// One entry for each parameter of the pack.
struct Calibrated {
  std::vector<double> values;
  std::vector<std::optional<double>> uncertainties;
  std::vector<bool> determined; ///< false: the figures do not determine the value, so it is the literal's
};

class PackWriter {
public:
  /// Create it before the fit, which takes minutes: it reads the files to change, and throws OutputError if one cannot
  /// be written. `keeps_fits`: the pack will have stored fits. The pack must outlive the writer.
  PackWriter(const CheckedPack& checked, bool keeps_fits);

  /// Returns the written files. Throws OutputError, without writing, if a file has changed since the fit started.
  std::vector<std::string> write(const Calibrated& calibrated, const PackFits& fresh) const;

private:
  void require_unchanged() const;
  [[nodiscard]] std::map<std::string, std::string> changed(const Calibrated& calibrated) const;
  [[nodiscard]] std::string fits_text(const Calibrated& calibrated, PackFits fits) const;

  const CheckedPack& checked_;
  const Pack& pack_;
  bool keeps_fits_;
  std::map<std::string, std::string> before_; ///< original contents of the files to change; empty for missing files
};

} // namespace gradflight
