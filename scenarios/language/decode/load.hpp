// Loads files as decoded scenarios, or reports all mistakes.
#pragma once

#include "scenarios/language/decode/document.hpp"
#include "scenarios/language/json/diagnostics.hpp"
#include "scenarios/language/types/scenario.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gradflight {

struct PlatformError;
struct WrittenSchedule;

/// What further checks may rely on. Parts with mistakes are left out of the scenario.
enum class Known {
  names,   ///< only names of quantities can be checked
  cluster, ///< the platform and the job's nodes beside it are valid so far, and what is in the lists
  all      ///< the scenario is valid so far
};
/// Further checks on a decoded scenario; reported with file, line and column. They return JSON pointers into the
/// scenario ("/platform/network/racks") and messages. An example is a check that needs the built platform.
using FurtherCheck = std::function<std::vector<PlatformError>(const Scenario&, Known)>;

/// `sets`: PATH=VALUE arguments, applied in order. Throws InputErrors.
Scenario load_scenario(const std::string& path, const std::vector<std::string>& sets = {},
                       const FurtherCheck& further = {});
Scenario load_changed_scenario(const std::string& path, const Changes& changes, const FurtherCheck& further = {});
/// Reads text instead of a file. Messages use `name` as the file; relative paths are relative to its directory.
Scenario parse_scenario(const std::string& text, const std::string& name, const std::vector<std::string>& sets = {});
Scenario parse_changed_scenario(const std::string& text, const std::string& name, const Changes& changes,
                                const FurtherCheck& further = {});

/// Reads a scenario file and the files that it names, without decoding; mistakes stay in the document.
Document read_scenario(const std::string& path);
/// Throws InputErrors. The base name of the file `path` is the default for the scenario's name.
Scenario decode_scenario(Document& document, const std::string& path, const FurtherCheck& further = {});

/// Loads a platform: a file, or a machine of the catalogue by its name. Throws InputErrors.
PlatformSpec load_platform(const std::string& file_or_machine);
/// The same, changed. `nodes` replaces its number of nodes. `sets`: PATH=VALUE with paths as in a scenario
/// ("platform.message_overhead=2us"). Messages use `source` for `file_or_machine` and `nodes`.
PlatformSpec load_changed_platform(const std::string& file_or_machine, std::optional<int> nodes,
                                   const std::vector<std::string>& sets, const std::string& source);

/// Loads a workload: a file, or a model of the catalogue by its name. Throws InputErrors.
Workload load_workload(const std::string& file_or_model);

/// Loads a file with a schedule. `further` checks it, as for a scenario. Throws InputErrors.
std::shared_ptr<const WrittenSchedule>
load_schedule(const std::string& path,
              const std::function<std::vector<PlatformError>(const WrittenSchedule&)>& further = {});

} // namespace gradflight
