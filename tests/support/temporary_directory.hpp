// Files for a test.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace gradflight::test {

/// A directory that is deleted at the end of the test.
class TemporaryDirectory {
public:
  TemporaryDirectory() {
    auto pattern = (std::filesystem::temp_directory_path() / "gradflight-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  std::string write(const std::string& name, const std::string& text) const {
    const auto file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
    return file.string();
  }
  [[nodiscard]] const std::filesystem::path& root() const { return path_; }
  [[nodiscard]] std::string path(const std::string& name = {}) const { return (path_ / name).string(); }

private:
  std::filesystem::path path_;
};

} // namespace gradflight::test
