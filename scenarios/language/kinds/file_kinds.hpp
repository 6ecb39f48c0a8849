// Every kind of file that Gradflight reads, and a file of any of them.
#pragma once

#include "scenarios/language/decode/load.hpp"

#include <string>
#include <vector>

namespace gradflight {

enum class FileKind { scenario, platform, workload, sweep, pack, fits, published, measured, schedule };

/// "a pack's fits": for people. What files say: FileForm::kind.
const char* file_kind_name(FileKind kind);

/// A file that may be of any kind, read with all that it names, not decoded.
struct AnyFile {
  std::string path;
  Document document;
  /// What its "kind" says, or its keys; a scenario where it cannot be read, so that its errors are told when it is
  /// decoded.
  FileKind kind = FileKind::scenario;
};
/// Mistakes stay in the document.
AnyFile read_any_file(const std::string& path);

/// Decodes it as what it is. Throws InputErrors.
void validate_file(AnyFile& file, const FurtherCheck& further = {});
/// The same of a file that is still to be read; what it is.
FileKind validate_file(const std::string& path, const FurtherCheck& further = {});

} // namespace gradflight
