#include "scenarios/language/kinds/file_kinds.hpp"

#include "scenarios/language/decode/decode.hpp"
#include "scenarios/language/packs/pack.hpp"
#include "scenarios/language/packs/pack_tables.hpp"
#include "scenarios/language/sweeps/sweep.hpp"
#include "scenarios/language/sweeps/sweep_tables.hpp"

#include <algorithm>
#include <filesystem>

namespace gradflight {
namespace {

/// The forms in the order of FileKind.
const FileForms& all_forms() {
  static const FileForms forms = {&scenario_file(),  &platform_file(),      &workload_file(),
                                  &sweep_file(),     &pack_file(),          &fits_file(),
                                  &published_file(), &measured_pack_file(), &schedule_file()};
  return forms;
}

/// The default name of a pack. A file with this name is a pack if its keys do not identify it.
constexpr const char* pack_name = "reproduce.json";

} // namespace

const char* file_kind_name(FileKind kind) {
  switch (kind) {
  case FileKind::scenario: return "scenario";
  case FileKind::platform: return "platform";
  case FileKind::workload: return "workload";
  case FileKind::sweep: return "sweep";
  case FileKind::pack: return "pack";
  case FileKind::fits: return "fits of a pack";
  case FileKind::published: return "published figures";
  case FileKind::measured: return "pack of measured tables";
  case FileKind::schedule: return "schedule";
  }
  return "";
}

AnyFile read_any_file(const std::string& path) {
  AnyFile file{path, read_document(path, all_forms())};
  const auto& forms = all_forms();
  if (!file.document.complete) return file;
  file.kind = static_cast<FileKind>(std::ranges::find(forms, file.document.form) - forms.begin());
  if (file.kind == FileKind::scenario && !file.document.said && std::filesystem::path(path).filename() == pack_name &&
      !has_required(file.document.root, scenario_file().shape))
    file.kind = FileKind::pack;
  return file;
}

void validate_file(AnyFile& file, const FurtherCheck& further) {
  auto& document = file.document;
  switch (file.kind) {
  case FileKind::scenario: decode_scenario(document, file.path, further); return;
  case FileKind::platform: decode_platform(document); return;
  case FileKind::workload: decode_workload(document); return;
  case FileKind::sweep: decode_sweep(document); return;
  case FileKind::pack: decode_pack(document, file.path); return;
  case FileKind::fits: decode_fits(document); return;
  case FileKind::published: decode_published(document); return;
  case FileKind::measured: decode_measured_pack(document, file.path); return;
  case FileKind::schedule: decode_schedule(document); return;
  }
}

FileKind validate_file(const std::string& path, const FurtherCheck& further) {
  auto file = read_any_file(path);
  validate_file(file, further);
  return file.kind;
}

} // namespace gradflight
