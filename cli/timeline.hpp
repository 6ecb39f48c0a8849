// The timeline that `run` writes: its format by the file's name, and how much of it.
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
  std::string ranks, from, to, size; ///< as typed; empty: all, or 20MB
  bool collectives_only = false;
};
void add_timeline(CLI::App& command, TimelineOptions& options);

/// An open file that takes one timeline.
class TimelineFile {
public:
  /// `ranks`: how many the run has. Throws UsageError with every option that is wrong, OutputError where the file does
  /// not take it or is another's.
  TimelineFile(const TimelineOptions& options, int ranks);
  ~TimelineFile();
  /// What it has left out, in a sentence for people; empty: nothing. Throws ResultLost.
  std::string write(const Timeline& timeline, const std::string& scenario);

private:
  TimelineSelection selection_;
  bool perfetto_ = false, packed_ = false;
  std::unique_ptr<OutputFile> file_;
};

} // namespace gradflight::cli
