#include "cli/command_table.hpp"

#include "cli/help.hpp"

namespace gradflight::cli {
namespace {

TabledOption tabled(const CLI::Option& option) {
  TabledOption row;
  for (const std::string& name : option.get_lnames()) row.names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) row.names.push_back("-" + name);
  if (option.get_items_expected_max() > 0) row.value = option.get_type_name();
  row.meaning = option_meaning(option);
  row.several = option.get_items_expected_max() > 1;
  row.required = option.get_required();
  return row;
}

void add_to(std::vector<TabledCommand>& table, const CLI::App& app, const std::string& words) {
  TabledCommand row{words, app.get_description(), examples_of(app), {}, {}};
  for (const CLI::Option* option : app.get_options([](const CLI::Option*) { return true; }))
    row.options.push_back(tabled(*option));
  const auto listed = app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
  for (const CLI::App* command : listed) row.subcommands.push_back(command->get_name());
  table.push_back(std::move(row));
  for (const CLI::App* command : listed)
    add_to(table, *command, words.empty() ? command->get_name() : words + ' ' + command->get_name());
}

} // namespace

bool TabledOption::takes_file() const {
  for (const char* kind :
       {"FILE", "DIR", "SCENARIO", "SWEEP", "PACK", "LOG", "TRACE", "MEASURED", "CSV", "TENSOR", "IN", "OUT"})
    if (value.find(kind) != std::string::npos) return true;
  return false;
}

std::vector<TabledCommand> command_table(const CLI::App& app) {
  std::vector<TabledCommand> table;
  add_to(table, app, "");
  return table;
}

} // namespace gradflight::cli
