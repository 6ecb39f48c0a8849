#include "scenarios/language/packs/measured_pack.hpp"

#include "base/input_file.hpp"
#include "scenarios/language/decode/decode.hpp"
#include "scenarios/language/decode/machines.hpp"
#include "scenarios/language/packs/pack_tables.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace gradflight {

const FileForm& measured_pack_file() {
  static const FileForm form = object_form(measured_pack_table().info);
  return form;
}

const char* measured_role_name(MeasuredRole role) {
  switch (role) {
  case MeasuredRole::scored: return "scored";
  case MeasuredRole::fitted: return "fitted";
  case MeasuredRole::noted: return "noted";
  }
  return "";
}

const char* network_fabric_name(NetworkFabric fabric) {
  switch (fabric) {
  case NetworkFabric::infiniband: return "infiniband";
  case NetworkFabric::efa: return "efa";
  case NetworkFabric::slingshot: return "slingshot";
  case NetworkFabric::tcpx: return "tcpx";
  case NetworkFabric::roce: return "roce";
  case NetworkFabric::ethernet: return "ethernet";
  }
  return "";
}

const char* training_scheme_name(TrainingScheme scheme) {
  switch (scheme) {
  case TrainingScheme::ddp: return "DDP";
  case TrainingScheme::horovod: return "Horovod";
  case TrainingScheme::parameter_server: return "parameter server";
  case TrainingScheme::fsdp: return "FSDP";
  case TrainingScheme::all_reduce: return "all-reduce";
  }
  return "";
}

std::string MeasuredPack::beside(const std::string& path) const {
  return (directory_of(file) / path).lexically_normal().string();
}

std::string MeasuredPack::platform() const {
  const std::string path = beside(machine->text);
  return names_file(machine->text, path) ? path : machine->text;
}

std::vector<std::string> MeasuredPack::settings() const {
  std::vector<std::string> all;
  const auto add = [&](const std::string& path, const Node& value) {
    all.push_back(path + "=" + (value.kind == Node::Kind::text ? value.text : json_text_ordered(value)));
  };
  for (const auto& fact : set) add(fact.path.text, fact.value);
  if (fitted)
    for (const auto& member : fitted->set) add(member.key, member.value);
  return all;
}

MeasuredPack load_measured_pack(const std::string& path) {
  auto document = read_document(path, {&measured_pack_file()});
  return decode_measured_pack(document, path);
}

MeasuredPack decode_measured_pack(Document& document, const std::string& path) {
  auto pack = decode(document, object(measured_pack_table()));
  pack.file = path;
  pack.sources = std::move(document.sources);
  return pack;
}

} // namespace gradflight
