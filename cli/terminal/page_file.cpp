#include "cli/terminal/page_file.hpp"

#include "analysis/run/pages/page.hpp"

#include <CLI/CLI.hpp>

namespace gradflight::cli {

void add_report(CLI::App& command, std::filesystem::path& file) {
  command.add_option("--report", file, "Write a page with plots to FILE (HTML, opens offline)")->type_name("FILE");
}

PageFile::PageFile(const std::filesystem::path& path) {
  if (path.empty()) return;
  require_replaceable(path, page_opening, "a page of gradflight");
  file_ = std::make_unique<OutputFile>(path);
}

void PageFile::write(const std::function<std::string()>& html) {
  if (!file_) return;
  file_->write(html());
  file_->commit();
}

} // namespace gradflight::cli
