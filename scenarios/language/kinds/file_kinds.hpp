// All kinds of files that Gradflight reads, and a file of any kind.
#pragma once

#include "scenarios/language/decode/load.hpp"

#include <string>
#include <vector>

namespace gradflight {

enum class FileKind { scenario, platform, workload, sweep, pack, fits, published, measured, schedule };

/// Returns a name for people, such as "a pack's fits". FileForm::kind is the name in files.
const char* file_kind_name(FileKind kind);

/// A file of any kind, read with all files that it names, but not decoded.
struct AnyFile {
  std::string path;
  Document document;
  /// The kind from "kind", or from the keys. A file that cannot be read counts as a scenario, so that decoding reports
  /// its errors.
  FileKind kind = FileKind::scenario;
};
/// Mistakes stay in the document.
AnyFile read_any_file(const std::string& path);

/// Decodes the file as its kind. Throws InputErrors.
void validate_file(AnyFile& file, const FurtherCheck& further = {});
/// The same for a file that is not read yet; returns its kind.
FileKind validate_file(const std::string& path, const FurtherCheck& further = {});

} // namespace gradflight
