// The page that --report asks for: opened before anything is simulated, written whole or not at all.
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

/// "--report FILE".
void add_report(CLI::App& command, std::filesystem::path& file);

class PageFile {
public:
  /// `path` empty: there is none. Throws OutputError where it cannot be written, or is somebody else's file.
  explicit PageFile(const std::filesystem::path& path);
  /// `html` is called where there is one.
  void write(const std::function<std::string()>& html);
  [[nodiscard]] bool wanted() const { return file_ != nullptr; }

private:
  std::unique_ptr<OutputFile> file_;
};

} // namespace gradflight::cli
