#include "cli/terminal/notes.hpp"

#include "base/nearest_name.hpp"
#include "cli/terminal/console.hpp"
#include "models/collectives/element_type.hpp"

#include <fmt/format.h>

namespace gradflight::cli {

void print_notes(const std::vector<Diagnostic>& notes) {
  for (Diagnostic note : notes) {
    note.message = "note: " + note.message;
    print_message(format(note) + "\n");
  }
}

std::string unknown_type(const std::string& name) {
  return fmt::format("--type {}: unknown element type{}", name, did_you_mean(name, element_type_names()));
}

} // namespace gradflight::cli
