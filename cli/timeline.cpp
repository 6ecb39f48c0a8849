// One of the few files that include CLI11.
#include "cli/timeline.hpp"

#include "analysis/run/files/output_file.hpp"
#include "analysis/run/timelines/byte_sink.hpp"
#include "analysis/run/timelines/perfetto.hpp"
#include "analysis/run/timelines/trace.hpp"
#include "base/other_file.hpp"
#include "base/usage_error.hpp"
#include "models/units/unit_text.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <stdexcept>

namespace gradflight::cli {
namespace {

namespace fs = std::filesystem;

/// Returns the name without ".gz".
fs::path unpacked_name(const fs::path& file) { return file.extension() == ".gz" ? file.stem() : file; }

/// Only a timeline of this program may be replaced, in any of its formats, compressed or not.
void require_own_timeline(const fs::path& file) {
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored) || fs::is_empty(file, ignored)) return;
  const std::string opening = opening_of(file.c_str(), 64);
  if (!opening.starts_with(timeline_opening) && !perfetto_opening(opening))
    throw OutputError(fmt::format("{} exists and is not a timeline of gradflight; give another name", file.string()));
}

/// Parses one option with `read`; adds its mistake to `wrong`.
template <class Read>
void read_option(const char* name, const std::string& value, std::string& wrong, const Read& read) {
  if (value.empty()) return;
  try {
    read();
  } catch (const std::exception& error) { // UnitError or invalid_argument
    wrong += fmt::format("{}{} {}: {}", wrong.empty() ? "" : "\n", name, value, error.what());
  }
}

TimelineSelection selection_of(const TimelineOptions& options, int ranks) {
  TimelineSelection selection;
  selection.collectives_only = options.collectives_only;
  std::string wrong;
  read_option("--ranks", options.ranks, wrong, [&] {
    selection.ranks = parse_ranks(options.ranks);
    for (const auto& [first, last] : selection.ranks)
      if (last >= ranks) throw std::invalid_argument(fmt::format("expected ranks from 0 to {}", ranks - 1));
  });
  read_option("--from", options.from, wrong, [&] { selection.from = parse_quantity(options.from, Dimension::time); });
  read_option("--to", options.to, wrong, [&] { selection.to = parse_quantity(options.to, Dimension::time); });
  read_option("--timeline-size", options.size, wrong,
              [&] { selection.bytes = parse_quantity(options.size, Dimension::bytes); });
  if (wrong.empty() && !(selection.from < selection.to))
    wrong = fmt::format("--from {} must be before --to {}", options.from, options.to);
  if (wrong.empty() && selection.bytes < 10e3)
    wrong = fmt::format("--timeline-size {}: expected at least 10KB", options.size);
  if (!wrong.empty()) throw UsageError(wrong);
  return selection;
}

} // namespace

void add_timeline(CLI::App& command, TimelineOptions& options) {
  auto* file = command
                   .add_option("--timeline", options.file,
                               "Write a timeline to FILE: Perfetto's format if the name ends in .pftrace, else "
                               "Chrome's JSON; a further .gz compresses it")
                   ->type_name("FILE");
  const auto add = [&](const char* name, std::string& value, const char* meaning, const char* type) {
    command.add_option(name, value, meaning)->type_name(type)->needs(file);
  };
  add("--ranks", options.ranks, "Include only these ranks, such as 0-7,12", "LIST");
  add("--from", options.from, "Include only records from this time on, such as 10ms", "TIME");
  add("--to", options.to, "Include only records up to this time", "TIME");
  add("--timeline-size", options.size,
      "Keep the timeline below about SIZE before compression (default: 20MB): leave out links, then ranks, then "
      "short slices",
      "SIZE");
  command
      .add_flag("--collectives-only", options.collectives_only,
                "Write one slice per rank and bucket; leave out passes and messages")
      ->needs(file);
}

TimelineFile::TimelineFile(const TimelineOptions& options, int ranks)
    : selection_(selection_of(options, ranks)), packed_(options.file.extension() == ".gz") {
  const fs::path kind = unpacked_name(options.file).extension();
  perfetto_ = kind == ".pftrace" || kind == ".perfetto-trace";
  require_own_timeline(options.file);
  file_ = std::make_unique<OutputFile>(options.file);
}

TimelineFile::~TimelineFile() = default;

std::string TimelineFile::write(const Timeline& timeline, const std::string& scenario) {
  const SelectedTimeline selected =
      select(timeline, selection_, perfetto_ ? perfetto_bytes_per_slice : trace_bytes_per_slice);
  ByteSink sink(file_->stream(), packed_);
  if (perfetto_)
    write_perfetto(selected, scenario, sink);
  else
    write_trace(selected, scenario, sink);
  sink.finish();
  file_->commit();
  if (selected.empty()) return "the timeline is empty: the chosen ranks do nothing in the chosen time";
  const std::string missing = left_out_text(selected);
  return missing.empty() ? "" : fmt::format("the timeline leaves out {}; --timeline-size takes more", missing);
}

} // namespace gradflight::cli
