#include "analysis/evidence/calibration/measurements.hpp"

#include "scenarios/language/json/diagnostics.hpp"

#include <catch2/catch.hpp>

using namespace gradflight;

namespace {

const std::string measured_header = "experiment,rate_mbit,p,bytes,algorithm,rep,seconds\n";

std::string errors_of(const std::string& text) {
  try {
    parse_measurements(text, "m.csv");
  } catch (const InputErrors& errors) {
    return errors.format();
  }
  return "";
}

} // namespace

TEST_CASE("rows become cases, repetitions their times") {
  const Measurements m =
      parse_measurements(measured_header + "ring,50,4,1000,eager,0,3\r\nring,50,4,1000,eager,1,1\n"
                                           "reduce,0,1,4096,float,0,1e-6\n\nring,50,4,1000,eager,2,8\n"
                                           "ring,12.5,4,1000,rendezvous,0,5\nring,12.5,4,1000,rendezvous,1,6",
                         "some/m.csv");
  CHECK(m.file == "m.csv");
  CHECK(m.hash.size() == 16);
  CHECK(m.rows == 6);
  REQUIRE(m.cases.size() == 3);
  CHECK(m.cases[0].seconds == std::vector<double>{3, 1, 8});
  CHECK(m.cases[0].median() == 3);
  CHECK(m.cases[0].line == 2);
  CHECK(m.cases[1].name() == "reduce 4096 B float");
  CHECK(m.cases[2].name() == "ring 12.5 Mbit/s p=4 1000 B rendezvous");
  CHECK(m.cases[2].median() == 5.5);
}

TEST_CASE("columns may come in any order, and more of them set values of the scenario") {
  const Measurements m =
      parse_measurements("seconds,rep,algorithm,bytes,p,rate_mbit,experiment,training.exchange.pull\n"
                         "1,0,eager,8,2,50,parameter_server,binomial\n"
                         "1,0,eager,8,2,50,parameter_server,\n",
                         "m.csv");
  REQUIRE(m.cases.size() == 2);
  REQUIRE(m.cases[0].sets.size() == 1);
  CHECK(m.cases[0].sets[0].path == "training.exchange.pull");
  CHECK(m.cases[0].sets[0].value == "binomial");
  CHECK(m.cases[0].sets[0].header_column == 52);
  CHECK(m.cases[0].sets[0].column == 35);
  CHECK(m.cases[0].columns.experiment == 18);
  CHECK(m.cases[1].sets.empty());
}

TEST_CASE("a byte order mark is no part of the header, and columns count characters") {
  const Measurements m =
      parse_measurements("\xEF\xBB\xBF" + measured_header + "\xC3\xA9.json,50,4,1000,eager,0,3\n", "m.csv");
  REQUIRE(m.cases.size() == 1);
  CHECK(m.cases[0].columns.experiment == 1);
  CHECK(m.cases[0].columns.rate_mbit == 8);
}

TEST_CASE("rates that differ in the last digit are two cases") {
  const Measurements m =
      parse_measurements(measured_header + "ring,1000000.1,4,8,eager,0,1\nring,1000000.2,4,8,eager,0,2\n", "m.csv");
  REQUIRE(m.cases.size() == 2);
  CHECK(m.cases[1].name() == "ring 1000000.2 Mbit/s p=4 8 B eager");
}

TEST_CASE("a quote that never ends is a mistake at its place") {
  CHECK(errors_of(measured_header + "\"ring\",50,4,1000,eager,0,3\n") == "");
  CHECK(errors_of(measured_header + "ring,50,4,1000,\"eager,0,3\n") == "m.csv:2:16: this quote is never closed\n");
  CHECK(errors_of("# measured\n" + measured_header + "\"ring\"s, 50,4,1000,eager,0,3\n") ==
        "m.csv:3:1: text follows this field's closing quote; put all of it in quotes\n");
  CHECK(errors_of(measured_header + "ring,50,4,1000,eag\xA0\x65r,0,3\nring,50,4,1000,\xC3\xA4\xFF,0,3\n") ==
        "m.csv:2:19: invalid UTF-8: byte 0xA0; save the file as UTF-8\n"
        "m.csv:3:17: invalid UTF-8: byte 0xFF; save the file as UTF-8\n");
}

TEST_CASE("list all mistakes in a file is told at once, with line and column") {
  CHECK(errors_of("") == "m.csv:1:1: the file has no header line with the column names\n");
  CHECK(errors_of(measured_header) == "m.csv:1:1: the file has no measurements below the header\n");
  CHECK(errors_of("experiment;rate_mbit;p;bytes;algorithm;rep;seconds\n") ==
        "m.csv:1:1: semicolons separate the columns; expected commas\n");
  CHECK(errors_of("collective,ranks,nodes,size_bytes,time_us\nall_reduce,8,1,8,5\n") ==
        "m.csv:1:1: this is a table of times over sizes: add --platform\n");
  CHECK(errors_of("experiment,rate,p,bytes,algorithm,rep,seconds,p\n") ==
        "m.csv:1:1: column \"rate_mbit\" is missing; the header should have "
        "experiment,rate_mbit,p,bytes,algorithm,rep,seconds\n"
        "m.csv:1:12: unknown column \"rate\". Allowed: experiment, rate_mbit, p, bytes, algorithm, rep, seconds, and "
        "paths of a scenario such as training.exchange.servers\n"
        "m.csv:1:47: column \"p\" appears twice\n");
  CHECK(
      errors_of(measured_header +
                "rings,50,4,1000,eager,0,1\nring,fast,0,1.5,eager,-1,nan\nring,50,4\nring,0,4,8,eager,0,1\n") ==
      "m.csv:2:1: unknown experiment \"rings\"; did you mean \"ring\"? Allowed: p2p, ring, "
      "recursive_doubling, "
      "halving_doubling, parameter_server, parameter_server_push, topk_tree, hierarchical, reduce, and scenario files "
      "(*.json)\n"
      "m.csv:3:6: rate \"fast\" should be 0, or a number from 1e-06 to 1000000000\n"
      "m.csv:3:11: p \"0\" should be a whole number from 1 to 1000000\n"
      "m.csv:3:13: size \"1.5\" should be a whole number from 1 to 1000000000000000\n"
      "m.csv:3:23: repetition \"-1\" should be a whole number from 0 to 1000000000\n"
      "m.csv:3:26: time \"nan\" should be 0, or a number from 1e-12 to 1000000000\n"
      "m.csv:4:1: this row has 3 fields, but the header has 7 columns\n"
      "m.csv:5:6: rate 0 is allowed only for experiment reduce, which uses no link\n");
  CHECK(errors_of(measured_header +
                  "ring,50,99999999999,9223372036854775807,eager,0,1e999\nring,1e-320,4,8,eager,0,1\n") ==
        "m.csv:2:9: p \"99999999999\" should be a whole number from 1 to 1000000\n"
        "m.csv:2:21: size \"9223372036854775807\" should be a whole number from 1 to 1000000000000000\n"
        "m.csv:2:49: time \"1e999\" should be 0, or a number from 1e-12 to 1000000000\n"
        "m.csv:3:6: rate \"1e-320\" should be 0, or a number from 1e-06 to 1000000000\n");
}
