#include "scenarios/language/decode/load.hpp"

#include "base/input_file.hpp"
#include "platforms/code/platform.hpp"
#include "scenarios/language/checks/checks.hpp"
#include "scenarios/language/decode/decode.hpp"
#include "scenarios/language/decode/inherit.hpp"
#include "scenarios/language/decode/machines.hpp"
#include "scenarios/language/decode/valid_parts.hpp"
#include "scenarios/language/schedules/schedule_table.hpp"
#include "scenarios/language/tables/tables.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <utility>

namespace gradflight {
namespace {

void report(Document& document, const std::string& pointer, const std::string& message) {
  document.problems.push_back({locate(document.root, pointer).position, pointer, message});
}

/// An item of an inheriting list repeats the mistakes of its holder. Keeps only the holder's.
void drop_inherited(std::vector<Problem>& problems, std::size_t jobs) {
  if (problems.empty()) return;
  std::set<std::pair<std::string, std::string>> messages;
  std::set<std::pair<std::string, Position>> places;
  for (const auto& problem : problems) {
    messages.emplace(problem.pointer, problem.message);
    places.emplace(problem.pointer, problem.position);
  }
  std::vector<InheritingList> all = inheriting_lists(scenario_table().info);
  for (std::size_t j = 0; j < jobs; ++j)
    for (InheritingList& list : inheriting_lists(job_table().info, fmt::format("/jobs/{}", j)))
      all.push_back(std::move(list));
  for (const auto& inheriting : all) {
    const auto& holder = inheriting.holder; // not a structured binding, because clang 14 cannot capture it in a lambda
    const auto items = inheriting.list + "/";
    std::erase_if(problems, [&](const Problem& problem) {
      if (!problem.pointer.starts_with(items)) return false;
      const auto rest = problem.pointer.find('/', items.size());
      auto original = holder;
      if (rest != std::string::npos) original += problem.pointer.substr(rest);
      return messages.contains({original, problem.message}) || places.contains({original, problem.position});
    });
  }
}

/// Reports jobs that never fit on the platform, together with the other mistakes in the list.
void check_sizes(Document& document) {
  const Node* list = node_at(document.root, "/jobs/file");
  const Node* written = document.root.find("platform");
  if (list == nullptr || list->kind != Node::Kind::list || written == nullptr) return;
  std::vector<Problem> elsewhere;
  Decoder unreported(elsewhere);
  const auto platform = platform_table().read(*written, unreported);
  if (!platform) return;
  const auto all = std::int64_t{platform->nodes} * platform->gpus_per_node;
  for (std::size_t i = 0; i < list->items.size(); ++i)
    if (const Node* gpus = list->items[i].find("gpus"); gpus != nullptr && gpus->kind == Node::Kind::integer)
      if (gpus->integer > all && gpus->integer <= max_ranks)
        document.problems.push_back(
            {gpus->position, fmt::format("/jobs/file/{}/gpus", i),
             fmt::format("the job needs {} GPUs, but the platform has only {}", gpus->integer, all)});
}

/// A codec's own ratio applies to fp32 values. Narrower values give the same bytes on the wire, so the ratio is
/// smaller. If types differ, no single ratio is correct; check_scenario reports that.
void fit_ratios(const Workload& workload, std::vector<Phase>& phases) {
  const auto element = workload.element();
  if (!element) return;
  for (Phase& phase : phases) {
    CompressionSpec& c = phase.training.compression;
    if (std::exchange(c.ratio_of_codec, false)) c.ratio *= 1.0 * width_of(*element) / element_bytes;
  }
}

/// Sets what follows from other parts of the scenario.
void fill_in(Scenario& scenario) {
  const auto in_nic = [](const Phase& phase) { return phase.training.compression.in_nic(); };
  const auto job_in_nic = [&](const JobSpec& job) { return std::ranges::any_of(job.phases, in_nic); };
  if (!scenario.platform.nic &&
      (std::ranges::any_of(scenario.phases, in_nic) || std::ranges::any_of(scenario.jobs, job_in_nic)))
    scenario.platform.nic.emplace();
  fit_ratios(scenario.workload, scenario.phases);
  for (JobSpec& job : scenario.jobs) fit_ratios(job.workload, job.phases);
}

/// Returns what further checks may rely on, by the mistakes so far.
Known known(const Document& document) {
  if (document.problems.empty()) return Known::all;
  return ValidParts(document).has_cluster() ? Known::cluster : Known::names;
}

/// Checks what is left if everything with a mistake is left out, and reports its mistakes, too.
void check_rest(Document& document, const FurtherCheck& further) {
  if (document.root.without_base) return; // it may decide everything
  const ValidParts parts(document);
  Scenario scenario = parts.scenario();
  if (parts.has_cluster()) {
    fill_in(scenario);
    for (const auto& violation : parts.has_job() ? check_scenario(scenario) : check_cluster(scenario))
      report(document, parts.place(violation.pointer), violation.message);
  }
  if (!further) return;
  for (const auto& error : further(scenario, known(document)))
    report(document, parts.place(error.pointer), error.message);
}

} // namespace

const FileForm& scenario_file() {
  static const FileForm form = object_form(scenario_table().info);
  return form;
}

const FileForm& platform_file() {
  static const FileForm form = object_form(platform_table().info);
  return form;
}

const FileForm& workload_file() {
  static const FileForm form = object_form(*workload_value().shape.table);
  return form;
}

const FileForm& schedule_file() {
  static const FileForm form = object_form(schedule_table().info);
  return form;
}

Scenario decode_scenario(Document& document, const std::string& path, const FurtherCheck& further) {
  if (!document.complete) refuse(document);
  Decoder decoder(document.problems);
  auto decoded = object(scenario_table()).read(document.root, decoder);
  check_sizes(document);
  const Node* jobs = document.root.find("jobs");
  drop_inherited(document.problems, jobs == nullptr ? 0 : jobs->items.size());
  if (!document.problems.empty() || !decoded) {
    check_rest(document, further);
    refuse(document);
  }
  auto scenario = std::move(*decoded);
  if (scenario.name.empty()) scenario.name = name_of(path);
  fill_in(scenario);
  for (const auto& violation : check_scenario(scenario)) report(document, violation.pointer, violation.message);
  if (further)
    for (const auto& error : further(scenario, known(document))) report(document, error.pointer, error.message);
  if (!document.problems.empty()) refuse(document);
  return scenario;
}

std::string other_kind(const Node& root, const FileForm& wanted) {
  if (has_required(root, wanted.shape) || root.without_base) return {};
  if (wanted.kind == scenario_file().kind && root.find("base") != nullptr && root.find("axes") != nullptr)
    return other_kind_text("sweep", wanted.kind);
  for (const FileForm* other : {&scenario_file(), &platform_file(), &workload_file()}) {
    if (other->kind == wanted.kind || !has_required(root, other->shape)) continue;
    const std::string way_out =
        other != &scenario_file() ? fmt::format(": write its path as \"{}\" into a scenario", other->kind)
        : wanted.kind == platform_file().kind || wanted.kind == workload_file().kind
            ? fmt::format(": write the value of its key \"{}\" into a file of its own", wanted.kind)
            : "";
    return other_kind_text(other->kind, wanted.kind) + way_out;
  }
  return {};
}

void reject_other_kind(const Document& document, const std::string& path, const FileForm& wanted) {
  if (!document.complete) return;
  if (const std::string text = other_kind(document.root, wanted); !text.empty())
    throw InputErrors({{path, 0, 0, "", text}});
}

Document read_scenario(const std::string& path) { return read_document(path, {&scenario_file()}); }

Scenario load_scenario(const std::string& path, const std::vector<std::string>& sets, const FurtherCheck& further) {
  return load_changed_scenario(path, {sets, {}, {}}, further);
}

Scenario load_changed_scenario(const std::string& path, const Changes& changes, const FurtherCheck& further) {
  auto document = read_document(path, {&scenario_file()}, changes);
  reject_other_kind(document, path, scenario_file());
  return decode_scenario(document, path, further);
}

Scenario parse_scenario(const std::string& text, const std::string& name, const std::vector<std::string>& sets) {
  return parse_changed_scenario(text, name, {sets, {}, {}});
}

Scenario parse_changed_scenario(const std::string& text, const std::string& name, const Changes& changes,
                                const FurtherCheck& further) {
  auto document = parse_document(text, name, {&scenario_file()}, changes);
  reject_other_kind(document, name, scenario_file());
  return decode_scenario(document, name, further);
}

namespace {

/// Throws InputErrors on all mistakes that single values do not show. `pointer` is the place of the platform in the
/// document.
PlatformSpec checked_platform(Document& document, PlatformSpec platform, const std::string& pointer) {
  for (const auto& violation : check_platform(platform, pointer))
    report(document, violation.pointer, violation.message);
  if (document.problems.empty()) {
    try { // only building finds some mistakes: too few places for ranks, no route, unknown links
      build_platform(platform, 0);
    } catch (const UnbuildablePlatform& refused) {
      for (const auto& error : refused.errors()) report(document, pointer + error.pointer, error.message);
    }
  }
  if (!document.problems.empty()) refuse(document);
  return platform;
}

/// An object with a scenario's key "platform", and no other.
struct PlatformAlone {
  PlatformSpec platform{};
};

const Table<PlatformAlone>& platform_alone() {
  static const auto table = [] {
    Table<PlatformAlone> t("platform alone", "A platform as a scenario names it.");
    t.info.kind = kind_field(scenario_file().kind);
    t.required("platform", &PlatformAlone::platform, object(platform_table()), "The cluster.");
    return t;
  }();
  return table;
}

} // namespace

PlatformSpec decode_platform(Document& document) {
  return checked_platform(document, decode(document, object(platform_table())), "");
}

/// Reads a file, or an entry of the catalogue by its name.
Document read_form(const std::string& file_or_name, const FileForm& form) {
  if (names_file(file_or_name)) return read_document(file_or_name, {&form});
  const std::string text = fmt::format("{{\"{}\": {}}}", form.table()->catalogue_key, json_string(file_or_name));
  return parse_document(text, file_or_name, {&form});
}

PlatformSpec load_platform(const std::string& file_or_machine) {
  auto document = read_form(file_or_machine, platform_file());
  reject_other_kind(document, file_or_machine, platform_file());
  return decode_platform(document);
}

PlatformSpec load_changed_platform(const std::string& file_or_machine, std::optional<int> nodes,
                                   const std::vector<std::string>& sets, const std::string& source) {
  if (file_or_machine == "-")
    throw InputErrors({{source, 0, 0, "",
                        "standard input is not read here: save the platform in a file, and give its "
                        "name"}});
  static const FileForm form = object_form(platform_alone().info);
  Changes changes{sets, {}, {}};
  changes.before.push_back({"platform", Node::of(file_or_machine), source});
  if (nodes) changes.before.push_back({"platform.nodes", Node::of(std::int64_t{*nodes}), source});
  auto document = parse_document("{}", source, {&form}, changes);
  auto [platform] = decode(document, object(platform_alone()));
  return checked_platform(document, std::move(platform), "/platform");
}

SharedSchedule decode_schedule(Document& document) { return decode(document, schedule_value()); }

Workload decode_workload(Document& document) { return decode(document, workload_value()); }

Workload load_workload(const std::string& file_or_model) {
  auto document = read_form(file_or_model, workload_file());
  return decode_workload(document);
}

std::shared_ptr<const WrittenSchedule>
load_schedule(const std::string& path,
              const std::function<std::vector<PlatformError>(const WrittenSchedule&)>& further) {
  auto document = read_document(path, {&schedule_file()});
  auto schedule = decode_schedule(document);
  if (further)
    for (const PlatformError& error : further(*schedule)) report(document, error.pointer, error.message);
  if (!document.problems.empty()) refuse(document);
  return schedule;
}

} // namespace gradflight
