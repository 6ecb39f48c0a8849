#include "scenarios/language/kinds/file_kinds.hpp"

#include "scenarios/language/decode/decode.hpp"
#include "scenarios/language/packs/pack.hpp"
#include "scenarios/language/packs/pack_tables.hpp"
#include "scenarios/language/sweeps/sweep.hpp"
#include "scenarios/language/sweeps/sweep_tables.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

namespace gradflight {
namespace {

struct KindRow {
  FileKind kind;
  const char* name;
  const FileForm* form;
  void (*check)(AnyFile& file, const FurtherCheck& further);
};

const std::array<KindRow, 9>& kinds() {
  using Further = const FurtherCheck&;
  static const std::array<KindRow, 9> rows = {{
      {FileKind::scenario, "scenario", &scenario_file(),
       [](AnyFile& f, Further further) { decode_scenario(f.document, f.path, further); }},
      {FileKind::platform, "platform", &platform_file(), [](AnyFile& f, Further) { decode_platform(f.document); }},
      {FileKind::workload, "workload", &workload_file(), [](AnyFile& f, Further) { decode_workload(f.document); }},
      {FileKind::sweep, "sweep", &sweep_file(), [](AnyFile& f, Further) { decode_sweep(f.document); }},
      {FileKind::pack, "pack", &pack_file(), [](AnyFile& f, Further) { decode_pack(f.document, f.path); }},
      {FileKind::fits, "fits of a pack", &fits_file(), [](AnyFile& f, Further) { decode_fits(f.document); }},
      {FileKind::published, "published figures", &published_file(),
       [](AnyFile& f, Further) { decode_published(f.document); }},
      {FileKind::measured, "pack of measured tables", &measured_pack_file(),
       [](AnyFile& f, Further) { decode_measured_pack(f.document, f.path); }},
      {FileKind::schedule, "schedule", &schedule_file(), [](AnyFile& f, Further) { decode_schedule(f.document); }},
  }};
  return rows;
}

const FileForms& all_forms() {
  static const FileForms forms = [] {
    FileForms each;
    for (const KindRow& row : kinds()) each.push_back(row.form);
    return each;
  }();
  return forms;
}

/// The default name of a pack. A file with this name is a pack if its keys do not identify it.
constexpr const char* pack_name = "reproduce.json";

} // namespace

const char* file_kind_name(FileKind kind) { return std::ranges::find(kinds(), kind, &KindRow::kind)->name; }

AnyFile read_any_file(const std::string& path) {
  AnyFile file{path, read_document(path, all_forms())};
  if (!file.document.complete) return file;
  file.kind = std::ranges::find(kinds(), file.document.form, &KindRow::form)->kind;
  if (file.kind == FileKind::scenario && !file.document.said && std::filesystem::path(path).filename() == pack_name &&
      !has_required(file.document.root, scenario_file().shape))
    file.kind = FileKind::pack;
  return file;
}

void validate_file(AnyFile& file, const FurtherCheck& further) {
  std::ranges::find(kinds(), file.kind, &KindRow::kind)->check(file, further);
}

FileKind validate_file(const std::string& path, const FurtherCheck& further) {
  auto file = read_any_file(path);
  validate_file(file, further);
  return file.kind;
}

} // namespace gradflight
