// What is left of a scenario if everything with a mistake is left out. It is checked, too, so that its mistakes are
// reported together with those that decoding finds.
#pragma once

#include "scenarios/language/decode/document.hpp"
#include "scenarios/language/types/scenario.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gradflight {

class ValidParts {
public:
  /// Reads `document`, whose values have been decoded and whose problems are known.
  explicit ValidParts(const Document& document);

  [[nodiscard]] const Scenario& scenario() const { return scenario_; }
  /// Whether the platform, and the nodes that the job needs beside it, are known.
  [[nodiscard]] bool has_cluster() const { return has_cluster_; }
  /// Whether all that decides what the job does is known.
  [[nodiscard]] bool has_job() const { return has_job_; }
  /// Returns where a value of scenario() is in the document.
  [[nodiscard]] std::string place(const std::string& pointer) const;

private:
  void leave_out_items(Node& root);

  const std::vector<Problem>& problems_;
  std::map<std::string, std::vector<std::size_t>> kept_; ///< list to the places of its valid items
  Scenario scenario_{};
  bool has_cluster_ = false, has_job_ = false;
};

/// Whether there is no mistake at `pointer` or below it.
bool is_clean(const std::vector<Problem>& problems, std::string_view pointer);

} // namespace gradflight
