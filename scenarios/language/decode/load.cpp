#include "scenarios/language/decode/load.hpp"

#include "scenarios/language/decode/checks.hpp"
#include "scenarios/language/decode/decode.hpp"
#include "scenarios/language/packs/pack_tables.hpp"
#include "scenarios/language/sweeps/sweep.hpp"
#include "scenarios/language/sweeps/sweep_tables.hpp"
#include "scenarios/language/tables/tables.hpp"

#include <filesystem>
#include <set>
#include <utility>

namespace gradflight {
namespace {

void report(Document& document, const std::string& pointer, const std::string& message) {
  document.problems.push_back({locate(document.root, pointer).position, pointer, message});
}

/// A phase inherits what `training` says, mistakes included: each of those is told once, where `training` has it.
void drop_inherited(std::vector<Problem>& problems) {
  const std::string warmup = "/training/warmup/";
  std::set<std::pair<std::string, std::string>> messages;
  std::set<std::pair<std::string, Position>> places;
  for (const auto& problem : problems) {
    messages.emplace(problem.pointer, problem.message);
    places.emplace(problem.pointer, problem.position);
  }
  std::erase_if(problems, [&](const Problem& problem) {
    if (!problem.pointer.starts_with(warmup)) return false;
    const auto rest = problem.pointer.find('/', warmup.size());
    std::string original = "/training";
    if (rest != std::string::npos) original += problem.pointer.substr(rest);
    return messages.contains({original, problem.message}) || places.contains({original, problem.position});
  });
}

/// The kind that knows most of the file's keys; a scenario in case of doubt.
FileKind kind_of(const Node& root) {
  if (root.kind == Node::Kind::list) return FileKind::published; // the only kind that is one
  const auto known = [&](const TableInfo& table) {
    return std::ranges::count_if(table.fields, [&](const FieldInfo& field) { return root.find(field.key) != nullptr; });
  };
  const auto scenario = known(scenario_table().info), platform = known(platform_table().info);
  const auto workload = known(*workload_value().shape.table);
  // Kinds that share no key with a scenario but its name.
  const auto sweep = known(sweep_table().info), pack = known(pack_table().info), fits = known(fits_table().info);
  if (fits > std::max({scenario, platform, workload, sweep, pack})) return FileKind::fits;
  if (pack > std::max({scenario, platform, workload, sweep})) return FileKind::pack;
  if (sweep > std::max({scenario, platform, workload})) return FileKind::sweep;
  if (platform > scenario && platform >= workload) return FileKind::platform;
  if (workload > scenario) return FileKind::workload;
  return FileKind::scenario;
}

/// What only the built shape can tell: too few places, no route, a link that is not there.
void try_to_build(const PlatformSpec& platform, Document& document) {
  try {
    build_platform(platform, 0);
  } catch (const UnbuildablePlatform& refused) {
    for (const auto& error : refused.errors()) report(document, error.pointer, error.message);
  }
}

} // namespace

Scenario decode_scenario(Document& document, const std::string& path, const FurtherCheck& further) {
  if (!document.complete) refuse(document);
  Decoder decoder(document.problems);
  auto decoded = object(scenario_table()).read(document.root, decoder);
  drop_inherited(document.problems);
  if (!document.problems.empty() || !decoded) refuse(document);
  auto scenario = std::move(*decoded);
  if (scenario.name.empty()) scenario.name = std::filesystem::path(path).stem().string();
  const auto in_nic = [](const Phase& phase) { return phase.training.compression.in_nic(); };
  if (!scenario.platform.nic && std::ranges::any_of(scenario.phases, in_nic)) scenario.platform.nic.emplace();
  for (const auto& violation : check_scenario(scenario)) report(document, violation.pointer, violation.message);
  if (document.problems.empty() && further)
    for (const auto& error : further(scenario)) report(document, error.pointer, error.message);
  if (!document.problems.empty()) refuse(document);
  return scenario;
}

Scenario load_scenario(const std::string& path, const std::vector<std::string>& sets, const FurtherCheck& further) {
  return load_changed_scenario(path, {sets, {}, {}}, further);
}

Scenario load_changed_scenario(const std::string& path, const Changes& changes, const FurtherCheck& further) {
  auto document = read_document(path, changes);
  return decode_scenario(document, path, further);
}

Scenario parse_scenario(const std::string& text, const std::string& name, const std::vector<std::string>& sets) {
  return parse_changed_scenario(text, name, {sets, {}, {}});
}

Scenario parse_changed_scenario(const std::string& text, const std::string& name, const Changes& changes,
                                const FurtherCheck& further) {
  auto document = parse_document(text, name, changes);
  return decode_scenario(document, name, further);
}

Workload load_workload(const std::string& path) {
  auto document = read_document(path);
  return decode(document, workload_value());
}

FileKind validate_file(const std::string& path, const std::vector<std::string>& sets, const FurtherCheck& further) {
  auto document = read_document(path, {sets, {}, {}});
  const auto kind = kind_of(document.root);
  if (kind == FileKind::platform) {
    const auto platform = decode(document, object(platform_table()));
    for (const auto& violation : check_platform(platform, "")) report(document, violation.pointer, violation.message);
    if (document.problems.empty()) try_to_build(platform, document);
    if (!document.problems.empty()) refuse(document);
  } else if (kind == FileKind::workload) {
    decode(document, workload_value());
  } else if (kind == FileKind::sweep) {
    decode_sweep(document);
  } else if (kind == FileKind::pack) {
    load_pack(path);
  } else if (kind == FileKind::fits) {
    decode_fits(document);
  } else if (kind == FileKind::published) {
    load_published(path);
  } else {
    decode_scenario(document, path, further);
  }
  return kind;
}

FileKind file_kind(const std::string& path) {
  const auto root = read_document(path).root;
  // No key says what it is; where packs are looked for, the name does.
  const bool empty = root.kind == Node::Kind::object && root.members.empty();
  if (empty && std::filesystem::path(path).filename() == "reproduce.json") return FileKind::pack;
  return kind_of(root);
}

const char* file_kind_name(FileKind kind) {
  switch (kind) {
  case FileKind::scenario: return "scenario";
  case FileKind::platform: return "platform";
  case FileKind::workload: return "workload";
  case FileKind::sweep: return "sweep";
  case FileKind::pack: return "pack";
  case FileKind::fits: return "fits of a pack";
  case FileKind::published: return "published figures";
  }
  return "";
}

} // namespace gradflight
