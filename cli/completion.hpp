// Completion of commands, options and files, for three shells.
#pragma once

#include <string>
#include <vector>

namespace gradflight::cli {

struct TabledCommand;

/// Returns the completion script of a shell (bash, zsh or fish) for a program named gradflight.
std::string completion(const std::vector<TabledCommand>& table, const std::string& shell);

} // namespace gradflight::cli
