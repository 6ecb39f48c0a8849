// The field tables of reproduction packs (tables_pack.cpp) and published figures (tables_published.cpp). Also the JSON
// forms that differ from the decoded types.
#pragma once

#include "scenarios/language/decode/file_form.hpp"
#include "scenarios/language/fields/table.hpp"
#include "scenarios/language/packs/measured_pack.hpp"
#include "scenarios/language/packs/pack_fits.hpp"

namespace gradflight {

/// A key of a "for" and its values; {key} in a text is replaced by each value in turn.
struct ForKey {
  std::string key;
  Position position{};
  std::vector<Node> values;
};
using ForKeys = std::vector<ForKey>;

// Texts keep their positions.
struct ParameterForm {
  Node name, file;
  std::vector<Node> at, bounds;
  std::optional<Node> uncertainty;
  bool logarithmic = true;
  std::string why;
};
struct FitForm {
  ForKeys keys;
  std::vector<Node> parameters, to;
};
struct ExperimentForm {
  Node name;
  ForKeys keys;
  Node scenario;
  std::vector<Member> set;
};
struct FigureForm {
  Node id;
  ForKeys keys;
  Node value;
};
/// An entry for a figure that is not predicted.
struct ReasonForm {
  Node id;
  ForKeys keys;
  std::string why;
};
struct InputNumbersForm {
  Node name;
  ForKeys keys;
  Node file;
  std::vector<Node> at;
  bool time = false;
  std::string why;
};
struct WithoutForm {
  std::vector<Node> experiments;
  std::vector<Member> set;
};
struct ChoiceForm {
  std::string what, alternatives, tried_on, why;
  ForKeys keys;
  std::optional<WithoutForm> without;
};
struct TransferForm {
  Node name;
  ForKeys keys;
  std::vector<Node> fit, predict;
};
struct PackForm {
  Node paper;
  std::string description;
  Node published = Node::of(std::string("../published/figures.json"));
  std::vector<ParameterForm> fitted;
  std::vector<FitForm> fits;
  std::vector<ExperimentForm> experiments;
  std::vector<FigureForm> figures;
  std::vector<ReasonForm> inputs, excluded, dependent, failed;
  std::vector<InputNumbersForm> input_numbers;
  std::vector<ChoiceForm> choices;
  std::vector<TransferForm> transfers;
};

/// Paths and values as `--set` takes them.
Value<std::vector<Member>> settings_value(std::size_t min_members = 0);

const Table<PackForm>& pack_table();
const Table<PackFits>& fits_table();
const Table<MeasuredPack>& measured_pack_table();
const Table<PublishedFigure>& published_table();
Value<std::vector<PublishedFigure>> published_value();

const FileForm& pack_file();
const FileForm& fits_file();
const FileForm& measured_pack_file();
const FileForm& published_file();

} // namespace gradflight
