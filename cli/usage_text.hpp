// What is wrong on the command line, in words of its own instead of CLI11's.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class ParseError;
} // namespace CLI

namespace gradflight::cli {

/// Returns all mistakes in the words of the chosen command, each with the way out: "unknown option --reprot; did you
/// mean --report?", "--jobs: expected an integer of at least 1, got "0"". `error` is the one at which CLI11 stopped.
std::vector<std::string> usage_texts(const CLI::App& app, const CLI::ParseError& error);

} // namespace gradflight::cli
