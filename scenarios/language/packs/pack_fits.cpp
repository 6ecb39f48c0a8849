#include "scenarios/language/packs/pack_fits.hpp"

#include "base/digest.hpp"
#include "scenarios/language/decode/decode.hpp"
#include "scenarios/language/packs/pack_tables.hpp"

#include <filesystem>
#include <fmt/format.h>

namespace gradflight {

std::string fits_path(const Pack& pack) {
  const std::filesystem::path file = pack.file;
  return (file.parent_path() / (file.stem().string() + "-fits.json")).string();
}

const FileForm& fits_file() {
  static const FileForm form = object_form(fits_table().info);
  return form;
}

PackFits decode_fits(Document& document) { return decode(document, object(fits_table())); }

std::optional<PackFits> load_fits(const Pack& pack) {
  const auto path = fits_path(pack);
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return std::nullopt;
  auto document = read_document(path, {&fits_file()});
  return decode_fits(document);
}

std::string fits_json(const PackFits& fits) { return json_text_ordered(fits_table().show(fits)); }

std::string pack_digest(const Pack& pack, const std::vector<std::string>& experiment_digests) {
  auto text = pack.content;
  for (const auto& one : experiment_digests) text += one + '\n';
  for (const auto& figure : pack.figures)
    if (figure.value) text += figure.published.id + '=' + value_text(figure.published.value) + '\n';
  return digest(text);
}

} // namespace gradflight
