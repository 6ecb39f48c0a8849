// The way in: files to decoded scenarios, or every reason why not.
#pragma once

#include "scenarios/language/decode/document.hpp"
#include "scenarios/language/json/diagnostics.hpp"
#include "scenarios/language/types/scenario.hpp"

#include <functional>
#include <string>
#include <vector>

namespace gradflight {

struct PlatformError;
struct WrittenSchedule;

/// Further checks on a decoded scenario whose complaints should carry file, line and column: pointers into the scenario
/// ("/platform/network/racks") and messages. For what needs the built platform, say.
using FurtherCheck = std::function<std::vector<PlatformError>(const Scenario&)>;

/// `sets`: PATH=VALUE arguments, applied in order. Throws InputErrors.
Scenario load_scenario(const std::string& path, const std::vector<std::string>& sets = {},
                       const FurtherCheck& further = {});
Scenario load_changed_scenario(const std::string& path, const Changes& changes, const FurtherCheck& further = {});
/// Text instead of a file; `name` stands for the file in messages, and relative paths are seen from its directory.
Scenario parse_scenario(const std::string& text, const std::string& name, const std::vector<std::string>& sets = {});
Scenario parse_changed_scenario(const std::string& text, const std::string& name, const Changes& changes,
                                const FurtherCheck& further = {});

/// A scenario file and what it names, not decoded; mistakes stay in the document.
Document read_scenario(const std::string& path);
/// Throws InputErrors. `path`: the file whose base name stands for a scenario without a name.
Scenario decode_scenario(Document& document, const std::string& path, const FurtherCheck& further = {});

/// A platform: a file, or a machine of the catalogue by its name. `sets`: PATH=VALUE, seen from the platform
/// ("nodes=4"). Throws InputErrors.
PlatformSpec load_platform(const std::string& file_or_machine, const std::vector<std::string>& sets = {});

/// A workload: a file, or a model of the catalogue by its name. Throws InputErrors.
Workload load_workload(const std::string& file_or_model);

/// A file with a schedule; `further` as that of a scenario. Throws InputErrors.
std::shared_ptr<const WrittenSchedule>
load_schedule(const std::string& path,
              const std::function<std::vector<PlatformError>(const WrittenSchedule&)>& further = {});

} // namespace gradflight
