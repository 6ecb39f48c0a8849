#include "scenarios/language/decode/machines.hpp"

#include "base/letters.hpp"
#include "base/nearest_name.hpp"
#include "base/paths.hpp"
#include "scenarios/language/json/sources.hpp"

#include <algorithm>
#include <array>
#include <dlfcn.h>
#include <link.h>
#include <system_error>

namespace gradflight {

namespace fs = std::filesystem;

namespace {

/// Returns the file of this code: the program, or the shared library if a program uses the library.
fs::path loaded_from() {
  Dl_info info{};
  void* extra = nullptr;
  std::error_code error;
  const auto* here = reinterpret_cast<const void*>(&catalogue_folder); // NOLINT(*-reinterpret-cast): dladdr's interface
  if (dladdr1(here, &info, &extra, RTLD_DL_LINKMAP) != 0 && extra != nullptr)
    // The entry of the program itself has no name; the entry of a library contains its path.
    if (const char* name = static_cast<const link_map*>(extra)->l_name; name != nullptr && *name != 0)
      return fs::canonical(name, error);
  return fs::read_symlink("/proc/self/exe", error);
}

struct ShortName {
  const char *said, *meant;
};
/// Common short names in lower case without hyphens, and the most likely entry for each.
constexpr std::array short_names = std::to_array<ShortName>({
    {"alexnet", "alexnet_owt"},   {"bert", "bert-large"},
    {"dlrm", "dlrm-dcnv2"},       {"gpt22b", "gpt-22b"},
    {"gpt3", "gpt3-175b"},        {"gpt175b", "gpt3-175b"},
    {"llama2", "llama2-7b"},      {"llama3", "llama3-8b"},
    {"llama7b", "llama2-7b"},     {"llama8b", "llama3-8b"},
    {"llama70b", "llama3-70b"},   {"llama405b", "llama3-405b"},
    {"mixtral", "mixtral-8x7b"},  {"resnet", "resnet50"},
    {"vgg", "vgg16_imagenet"},    {"vgg16", "vgg16_imagenet"},
    {"vit", "vit-l-16"},          {"vitlarge", "vit-l-16"},
    {"a100", "dgx-a100"},         {"gb200", "gb200-nvl72"},
    {"h100", "dgx-h100"},         {"h200", "hgx-h200"},
    {"mi300x", "mi300x-8"},       {"p3dn", "aws-p3dn"},
    {"p4d", "aws-p4d"},           {"p5", "aws-p5"},
    {"v100", "dgx-1-v100"},       {"p4d.24xlarge", "aws-p4d"},
    {"p5.48xlarge", "aws-p5"},    {"p3dn.24xlarge", "aws-p3dn"},
    {"dgx1", "dgx-1-v100"},       {"dgxh200", "hgx-h200"},
    {"a3mega", "gcp-a3-mega"},    {"a3high", "gcp-a3-high"},
    {"ndv4", "azure-nd-a100-v4"}, {"ndv5", "azure-nd-h100-v5"},
});

} // namespace

fs::path catalogue_folder(const std::string& folder) {
  std::error_code error;
  std::vector<fs::path> candidates;
  bool built_here = false; // an installed program uses only its own catalogue
  fs::path below;
  for (fs::path at = loaded_from().parent_path(); !at.empty(); at = at.parent_path()) {
    candidates.push_back(at / folder);
    candidates.push_back(at / "share/gradflight" / folder);
    built_here = built_here || fs::exists(at / "CMakeCache.txt", error);
    const bool prefix = !built_here && (below == "bin" || below == "lib");
    // Stop at the prefix: /usr, above /usr/local, may contain another version's catalogue.
    if (prefix || at == at.root_path()) break;
    below = at.filename();
  }
  if (built_here) candidates.emplace_back(fs::path(GRADFLIGHT_SOURCE_FOLDER) / folder);
  const auto found =
      std::ranges::find_if(candidates, [&](const fs::path& path) { return fs::is_directory(path, error); });
  return found == candidates.end() ? fs::path() : *found;
}

std::vector<std::string> catalogue_names(const std::vector<std::string>& folders) {
  std::vector<std::string> names;
  std::error_code error;
  for (const std::string& folder : folders)
    for (const fs::path& entry : entries_of(catalogue_folder(folder), error))
      if (entry.extension() == ".json") names.push_back(entry.stem().string());
  std::ranges::sort(names);
  return names;
}

std::string catalogued_name(const std::string& said, const std::vector<std::string>& names) {
  if (std::string same = same_name(said, names); !same.empty()) return same;
  const std::string spelt = common_spelling(said);
  const auto* found = std::ranges::find_if(short_names, [&](const ShortName& known) { return known.said == spelt; });
  if (found == short_names.end() || std::ranges::find(names, found->meant) == names.end()) return {};
  return found->meant;
}

std::string nearest_catalogued(const std::string& said, const std::vector<std::string>& names) {
  std::vector<std::string> candidates = names;
  for (const ShortName& known : short_names)
    if (std::ranges::find(names, known.meant) != names.end()) candidates.emplace_back(known.said);
  const std::string near = nearest_name(said, candidates);
  return near.empty() ? near : catalogued_name(near, names);
}

fs::path catalogue_file(const std::vector<std::string>& folders, const std::string& name) {
  std::error_code error;
  for (const std::string& folder : folders)
    if (auto path = catalogue_folder(folder) / (name + ".json"); fs::is_regular_file(path, error)) return path;
  return {};
}

std::vector<std::string> machine_names() { return catalogue_names({"platforms/machines"}); }

bool names_file(const std::string& text, const fs::path& path) {
  constexpr std::array ends = {".json", ".xml", ".csv", ".txt", ".log", ".gz"};
  if (text.find('/') != std::string::npos ||
      std::ranges::any_of(ends, [&](const char* end) { return text.ends_with(end); }))
    return true;
  std::error_code error;
  return fs::is_regular_file(path, error) &&
         catalogued_name(text, catalogue_names({"platforms/machines", "workloads/models", "workloads/networks"}))
             .empty();
}

bool names_file(const std::string& text) { return names_file(text, text); }

void drop_catalogued(Node& object, const Sources& sources, const std::vector<std::string>& folders) {
  std::vector<fs::path> places;
  for (const std::string& folder : folders) places.push_back(catalogue_folder(folder));
  const auto from_catalogue = [&](const Position& at) {
    return std::ranges::find(places, fs::path(sources.name(at.file)).parent_path()) != places.end();
  };
  const auto drop = [&](const auto& self, Node& node) -> void {
    std::erase_if(node.members, [&](Member& member) {
      const bool whole = member.value.kind == Node::Kind::object;
      if (whole) self(self, member.value);
      return from_catalogue(member.value.position) && (!whole || member.value.members.empty());
    });
  };
  drop(drop, object);
}

} // namespace gradflight
