// The options of `compare`, `scale` and `advise`.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace gradflight::cli {

struct CompareOptions {
  std::vector<std::filesystem::path> scenarios;
  std::vector<std::string> variants, sets; ///< "NAME:PATH=VALUE[,...]", "PATH=VALUE"
  int jobs = 1;
  bool json = false;
  std::filesystem::path report;     ///< empty: no page
  std::vector<std::string> command; ///< the words of the command line, for the page
};
int compare(const CompareOptions& options);

struct ScaleOptions {
  std::filesystem::path scenario;
  std::vector<std::string> sets;
  std::string over; ///< "PATH=V1,V2,..."
  double threshold = 0.5;
  bool strong = false, json = false;
  int jobs = 1;
  std::filesystem::path report;
  std::vector<std::string> command;
};
int scale(const ScaleOptions& options);

struct AdviseOptions {
  std::filesystem::path scenario;
  std::vector<std::string> sets;
  std::string budget = "30s";
  int jobs = 1;
  bool json = false;
  std::filesystem::path report;
  std::vector<std::string> command;
};
int advise(const AdviseOptions& options);

struct AnswerOptions {
  CompareOptions compare;
  ScaleOptions scale;
  AdviseOptions advise;
};
void add_answers(CLI::App& app, AnswerOptions& options, std::function<int()>& action);

} // namespace gradflight::cli
