// Completion of commands, options and files, for three shells.
#pragma once

#include <string>
#include <vector>

namespace gradflight::cli {

struct TabledCommand;

/// `shell`: bash, zsh or fish. What the shell reads, for the program named gradflight.
std::string completion(const std::vector<TabledCommand>& table, const std::string& shell);

} // namespace gradflight::cli
