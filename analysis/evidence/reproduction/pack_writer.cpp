#include "analysis/evidence/reproduction/pack_writer.hpp"

#include "analysis/run/files/output_file.hpp"
#include "scenarios/language/json/edit_text.hpp"
#include "scenarios/language/json/json_reader.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <utility>

namespace gradflight {
namespace {

std::string json_of(const PackParameter& p, double value) {
  return p.dimension ? json_string(p.text(value)) : p.text(value);
}

/// Returns the value of the literal after it is written and read.
double as_written(const PackParameter& p, double value) {
  return p.dimension ? parse_quantity(p.text(value), *p.dimension) : std::stod(p.text(value));
}

/// Returns an empty string if the file does not exist.
std::string text_of(const std::string& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return {};
  auto content = read_file(file);
  if (!content.error.empty()) throw OutputError(fmt::format("{}: {}", file, content.error));
  return std::move(content.text);
}

[[noreturn]] void refuse_changed(const std::string& what) {
  throw ResultLost(fmt::format("{} changed during the fit, so nothing is written; run again", what));
}

} // namespace

PackWriter::PackWriter(const CheckedPack& checked, bool keeps_fits)
    : checked_(checked), pack_(checked.pack), keeps_fits_(keeps_fits) {
  for (const auto& parameter : pack_.parameters) before_[parameter.file];
  before_[pack_.file];
  if (keeps_fits_) before_[fits_path(pack_)];
  for (auto& [file, text] : before_) {
    const OutputFile probe(file); // tests writing; leaves nothing behind if the fit is stopped
    text = text_of(file);
  }
}

void PackWriter::require_unchanged() const {
  for (const auto& [file, text] : before_)
    if (text_of(file) != text) refuse_changed(file);
  if (digest_of(check_pack(pack_.file)) != digest_of(checked_)) refuse_changed("a file that the pack's scenarios read");
}

std::map<std::string, std::string> PackWriter::changed(const Calibrated& calibrated) const {
  std::map<std::string, std::vector<ScalarEdit>> edits;
  for (std::size_t i = 0; i < pack_.parameters.size(); ++i) {
    const auto& p = pack_.parameters[i];
    if (calibrated.values[i] == p.value) continue; // in any notation
    for (const auto& at : p.at) edits[p.file].push_back({at, json_of(p, calibrated.values[i])});
  }
  auto texts = before_;
  texts.erase(fits_path(pack_));
  for (const auto& [file, scalars] : edits) texts[file] = with_scalars(texts[file], scalars);
  auto& text = texts[pack_.file];
  for (std::size_t i = 0; i < pack_.parameters.size(); ++i) {
    const auto& p = pack_.parameters[i];
    const auto& uncertainty = calibrated.uncertainties[i];
    text = uncertainty ? with_scalar_member(std::move(text), p.pointer, "uncertainty", json_of(p, *uncertainty))
                       : without_scalar_member(std::move(text), p.pointer, "uncertainty");
  }
  std::erase_if(texts, [&](const auto& entry) { return entry.second == before_.at(entry.first); });
  return texts;
}

std::string PackWriter::fits_text(const Calibrated& calibrated, PackFits fits) const {
  std::vector<double> values;
  for (std::size_t i = 0; i < pack_.parameters.size(); ++i)
    values.push_back(as_written(pack_.parameters[i], calibrated.values[i]));
  fits.digest = digest_at(pack_, values);
  // Keep earlier fits for the same state, unless new ones replace them.
  if (const auto& before = checked_.fits; before && before->digest == fits.digest) {
    if (fits.transfers.empty()) fits.transfers = before->transfers;
    if (!fits.cross_validation) fits.cross_validation = before->cross_validation;
  }
  return fits_json(fits);
}

std::vector<std::string> PackWriter::write(const Calibrated& calibrated, const PackFits& fresh) const {
  require_unchanged();
  auto texts = changed(calibrated);
  if (keeps_fits_) texts[fits_path(pack_)] = fits_text(calibrated, fresh);
  write_all({texts.begin(), texts.end()}); // with a full disk, every file stays as it was
  std::vector<std::string> files;
  for (const auto& entry : texts) files.push_back(entry.first);
  return files;
}

} // namespace gradflight
