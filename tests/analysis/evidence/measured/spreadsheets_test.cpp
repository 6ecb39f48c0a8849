// Numbers and tables as people and spreadsheets write them.
#include "analysis/evidence/measured/log_reader.hpp"
#include "tests/analysis/evidence/measured/logs.hpp"

using namespace gradflight;
using namespace gradflight::test;
using Catch::Matchers::Contains;

TEST_CASE("separators of thousands and decimals") {
  using measured::LoneComma;
  using measured::plain_number;
  struct Number {
    const char *written, *thousands, *decimals, *unclear;
  };
  for (const Number& n :
       {Number{"1,048,576", "1048576", "1048576", "1048576"}, Number{"1.048.576", "1048576", "1048576", "1048576"},
        Number{"1'048'576", "1048576", "1048576", "1048576"}, Number{"1_048_576", "1048576", "1048576", "1048576"},
        Number{"1.234,56", "1234.56", "1234.56", "1234.56"}, Number{"1,234.56", "1234.56", "1234.56", "1234.56"},
        Number{"53,11", "53.11", "53.11", "53.11"}, Number{"1,234", "1234", "1.234", "1,234"},
        Number{"1.234", "1.234", "1.234", "1.234"}, Number{"-1", "-1", "-1", "-1"},
        Number{"1e+06", "1e+06", "1e+06", "1e+06"}, Number{"1,23,456", "1,23,456", "1,23,456", "1,23,456"},
        Number{"1.2.3", "1.2.3", "1.2.3", "1.2.3"}, Number{"1,234,56", "1,234,56", "1,234,56", "1,234,56"},
        Number{"float", "float", "float", "float"}, Number{",", ",", ",", ","}, Number{"", "", "", ""}}) {
    INFO(n.written);
    CHECK(plain_number(n.written, LoneComma::thousands) == n.thousands);
    CHECK(plain_number(n.written, LoneComma::decimals) == n.decimals);
    CHECK(plain_number(n.written, LoneComma::unclear) == n.unclear);
  }
}

TEST_CASE("logs with separators of thousands or decimal commas") {
  const std::string header = "# nThread 1 nGpus 1 minBytes 8\n# size count type redop root time algbw busbw #wrong\n";
  for (const char* row :
       {"1,048,576 262,144 float sum -1 53.11 19.74 37.02 0\n", "1.048.576 262.144 float sum -1 53,11 19,74 37,02 0\n",
        "1048576 262144 float sum -1 53,11 19,74 37,02 0\n"}) {
    INFO(row);
    const auto tables = parse_measured(header + row, "x");
    REQUIRE(tables.at(0).rows.size() == 1);
    CHECK(tables[0].rows[0].size_bytes == 1048576);
    CHECK(tables[0].rows[0].time_us == 53.11);
    CHECK(tables[0].ranks == 16);
  }
}

TEST_CASE("CSV of spreadsheets: titles, separators, numbered rows, halves by name") {
  const auto rows = [](const std::string& text) {
    const auto tables = parse_measured(text, "x.csv", {.op = Operation::all_reduce});
    REQUIRE(tables.size() == 1);
    return tables[0].rows;
  };
  const auto has = [&](const std::string& text) {
    INFO(text);
    const auto found = rows(text);
    REQUIRE(found.size() == 2);
    CHECK(found[0].size_bytes == 1048576);
    CHECK(found[0].time_us == 53.11);
    CHECK(found[1].time_us == 1266.21);
  };
  has("Message size,Time (us)\n1048576,53.11\n2097152,1266.21\n");
  has("size_bytes,time_us\n\"1,048,576\",53.11\n\"2,097,152\",\"1,266.21\"\n");
  has("size_bytes;time_us\n1.048.576;53,11\n2.097.152;1.266,21\n");
  has("size_bytes,time_us\n1048576,\"53,11\"\n2097152,\"1266,21\"\n");
  has("times on 16 GPUs\n\nsize_bytes,time_us\n1048576,53.11\n2097152,1266.21\n");
  has("// times\nsize_bytes,time_us\n1048576,53.11,\n2097152,1266.21,\n");
  has(",size_bytes,time_us\n0,1048576,53.11\n1,2097152,1266.21\n");
  has("iteration,size_bytes,time_us\n0,1048576,53.11\n1,1048576,53.11\n0,2097152,1266.21\n1,2097152,1266.21\n");
  const auto halves = rows("size,oop_time,oop_algbw,oop_busbw,ip_time,ip_algbw,ip_busbw\n"
                           "1048576,53.11,19.74,37.02,54.00,19.42,36.41\n");
  CHECK(halves.at(0).time_us == 53.11);
  CHECK(halves.at(0).inplace_time_us == 54.0);
  CHECK(rows("size,out_of_place_time,in_place_time\n8,5.1,5.2\n").at(0).inplace_time_us == 5.2);
  // Either a thousand or one and a bit.
  CHECK_THAT(refused_log("size_bytes,time_us,collective,ranks\n1048576,\"1,234\",all_reduce,16\n"),
             Contains("time_us \"1,234\" should be a number above 0"));
}

TEST_CASE("OSU: titles with single blanks, and rates in GB/s") {
  const auto tables = parse_measured("$ mpirun -np 16 osu_allreduce -f\n# OSU MPI Allreduce Latency Test v7.2\n"
                                     "# Size Avg Latency(us) Min Latency(us) Max Latency(us) Iterations\n"
                                     "8 20.00 18.00 25.00 1000\n",
                                     "x");
  REQUIRE(tables.at(0).rows.size() == 1);
  CHECK(tables[0].rows[0].time_us == 20);
  CHECK(tables[0].rows[0].max_us == 25.0);
  const auto rates =
      parse_measured("# OSU MPI Bandwidth Test v7.2\n# Size      Bandwidth (GB/s)\n1000000    10.00\n", "x");
  CHECK(rates.at(0).rows.at(0).time_us == 100);
}
