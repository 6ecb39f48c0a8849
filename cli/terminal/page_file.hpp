// The page of --report: opened before the simulation, and written completely or not at all.
#pragma once

#include "analysis/run/files/output_file.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace CLI {
class App;
}

namespace gradflight::cli {

/// Adds the option "--report FILE".
void add_report(CLI::App& command, std::filesystem::path& file);

class PageFile {
public:
  /// An empty `path` means no page. Throws OutputError if the file cannot be written, or belongs to another program.
  explicit PageFile(const std::filesystem::path& path);
  /// Calls `html` and writes its result, if a page is wanted.
  void write(const std::function<std::string()>& html);
  [[nodiscard]] bool wanted() const { return file_ != nullptr; }

private:
  std::unique_ptr<OutputFile> file_;
};

} // namespace gradflight::cli
