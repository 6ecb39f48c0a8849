// The way in: files to decoded scenarios, or every reason why not.
#pragma once

#include "platforms/code/platform.hpp"
#include "scenarios/language/decode/document.hpp"
#include "scenarios/language/json/diagnostics.hpp"
#include "scenarios/language/types/scenario.hpp"

#include <functional>
#include <string>
#include <vector>

namespace gradflight {

enum class FileKind { scenario, platform, workload, sweep, pack, fits, published };

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

/// A workload file. Throws InputErrors.
Workload load_workload(const std::string& path);

/// A scenario, platform, workload, sweep or pack, a pack's fits or published figures on their own (what it is, its keys
/// tell). Throws InputErrors.
FileKind validate_file(const std::string& path, const std::vector<std::string>& sets = {},
                       const FurtherCheck& further = {});
/// What its keys say; a scenario where it cannot be read, so that its errors are told when it is loaded.
FileKind file_kind(const std::string& path);
const char* file_kind_name(FileKind kind);

} // namespace gradflight
