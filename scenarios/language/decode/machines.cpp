#include "scenarios/language/decode/machines.hpp"

#include "scenarios/language/json/sources.hpp"

#include <algorithm>
#include <array>
#include <system_error>

namespace gradflight {

namespace fs = std::filesystem;

fs::path machine_folder() {
  std::error_code error;
  std::vector<fs::path> candidates;
  for (fs::path at = fs::read_symlink("/proc/self/exe", error).parent_path(); !at.empty(); at = at.parent_path()) {
    candidates.push_back(at / "platforms/machines");
    candidates.push_back(at / "share/gradflight/platforms/machines");
    if (at == at.root_path()) break;
  }
  candidates.emplace_back(fs::path(GRADFLIGHT_SOURCE_FOLDER) / "platforms/machines");
  const auto found =
      std::ranges::find_if(candidates, [&](const fs::path& path) { return fs::is_directory(path, error); });
  return found == candidates.end() ? fs::path() : *found;
}

std::vector<std::string> machine_names() {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(machine_folder(), error))
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

bool names_file(const std::string& text) { return text.ends_with(".json") || text.find('/') != std::string::npos; }

void drop_machine(Node& object, const Sources& sources) {
  const auto from_catalogue = [&, folder = machine_folder()](const Position& at) {
    return fs::path(sources.name(at.file)).parent_path() == folder;
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
