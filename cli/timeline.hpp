// The timeline that `run` writes: the file's name determines its format; options select a part.
#pragma once

#include "analysis/run/timelines/selection.hpp"

#include <filesystem>
#include <memory>
#include <string>

namespace CLI {
class App;
}

namespace gradflight {
class OutputFile;
}

namespace gradflight::cli {

struct TimelineOptions {
  std::filesystem::path file;        ///< empty: none
  std::string ranks, from, to, size; ///< as typed; empty: all, or 20MB for the size
  bool collectives_only = false;
};
void add_timeline(CLI::App& command, TimelineOptions& options);

/// An open file for one timeline.
class TimelineFile {
public:
  /// `ranks` is the number of ranks in the run. Throws UsageError with all wrong options. Throws OutputError if the
  /// file cannot be written, or belongs to another program.
  TimelineFile(const TimelineOptions& options, int ranks);
  ~TimelineFile();
  /// Returns a sentence for people about the parts left out; empty if complete. Throws ResultLost.
  std::string write(const Timeline& timeline, const std::string& scenario);

private:
  TimelineSelection selection_;
  bool perfetto_ = false, packed_ = false;
  std::unique_ptr<OutputFile> file_;
};

} // namespace gradflight::cli
