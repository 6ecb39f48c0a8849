// Converts a resolved document to its content, or reports all mistakes. Internal to scenarios/.
#pragma once

#include "scenarios/language/decode/document.hpp"
#include "scenarios/language/decode/load.hpp"
#include "scenarios/language/fields/value.hpp"
#include "scenarios/language/schedules/schedule_table.hpp"

namespace gradflight {

[[noreturn]] inline void refuse(Document& document) {
  throw InputErrors(document.sources.diagnostics(std::move(document.problems)));
}

template <class V> V decode(Document& document, const Value<V>& value) {
  if (!document.complete) refuse(document);
  Decoder decoder(document.problems);
  auto result = value.read(document.root, decoder);
  if (!document.problems.empty() || !result) refuse(document);
  return std::move(*result);
}

/// Forms of files with one scenario, platform, workload or schedule.
const FileForm& scenario_file();
const FileForm& platform_file();
const FileForm& workload_file();
const FileForm& schedule_file();

/// Returns "this is a platform; expected a scenario ..." if a file with this root lacks a key that `wanted` requires
/// and has all that another kind of file requires. Empty otherwise.
std::string other_kind(const Node& root, const FileForm& wanted);
/// Throws InputErrors with that text if the file `path` is of another kind.
void reject_other_kind(const Document& document, const std::string& path, const FileForm& wanted);

/// They throw InputErrors.
PlatformSpec decode_platform(Document& document);
Workload decode_workload(Document& document);
SharedSchedule decode_schedule(Document& document);

} // namespace gradflight
