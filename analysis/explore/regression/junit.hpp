// JUnit XML for CI systems: one suite, and a case for each golden scenario.
//
// Valid for the schema of Ant's format (windyroad/JUnit-Schema), which Jenkins, GitLab and the common GitHub actions
// read. Equal results give equal bytes: `time` is the simulated time, `timestamp` is the epoch, `hostname` "localhost".
#pragma once

#include <string>
#include <vector>

namespace gradflight {

struct JunitCase {
  enum class Kind { passed, failure, error };
  std::string classname, name;
  double time_s = 0; ///< simulated
  Kind kind = Kind::passed;
  std::string message, text; ///< of a failure or an error
};

/// UTF-8; characters that XML cannot hold and invalid bytes are replaced by U+FFFD.
std::string junit_xml(const std::string& suite, const std::vector<JunitCase>& cases);

/// The beginning of each of these files, by which they are recognised.
inline constexpr const char* junit_opening = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>";

} // namespace gradflight
