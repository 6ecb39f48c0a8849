// Numbers and tables as people and spreadsheets write them.
#include "analysis/evidence/measured/log_reader.hpp"
#include "tests/analysis/evidence/measured/logs.hpp"

using namespace gradflight;
using namespace gradflight::test;
using Catch::Matchers::Contains;

TEST_CASE("separators of thousands and decimals") {
  using measured::DecimalMark;
  using measured::plain_number;
  struct Number {
    const char *written, *dot, *comma, *either, *unclear;
  };
  for (const Number& n : {Number{"1,048,576", "1048576", "1048576", "1048576", "1048576"},
                          Number{"1.048.576", "1048576", "1048576", "1048576", "1048576"},
                          Number{"1'048'576", "1048576", "1048576", "1048576", "1048576"},
                          Number{"1_048_576", "1048576", "1048576", "1048576", "1048576"},
                          Number{"1.234,56", "1234.56", "1234.56", "1234.56", "1234.56"},
                          Number{"1,234.56", "1234.56", "1234.56", "1234.56", "1234.56"},
                          Number{"53,11", "53.11", "53.11", "53.11", "53.11"},
                          Number{"0,123", "0.123", "0.123", "0.123", "0.123"},
                          Number{"1234,567", "1234.567", "1234.567", "1234.567", "1234.567"},
                          Number{"12.93", "12.93", "12.93", "12.93", "12.93"},
                          Number{"1,234", "1234", "1.234", "1.234", "1,234"},
                          Number{"1.234", "1.234", "1234", "1.234", "1.234"},
                          Number{"-1", "-1", "-1", "-1", "-1"},
                          Number{"1e+06", "1e+06", "1e+06", "1e+06", "1e+06"},
                          Number{"1,23E+02", "1.23E+02", "1.23E+02", "1.23E+02", "1.23E+02"},
                          Number{"1,234e-05", "1.234e-05", "1.234e-05", "1.234e-05", "1.234e-05"},
                          Number{"1.234E+02", "1.234E+02", "1.234E+02", "1.234E+02", "1.234E+02"},
                          Number{"1,2E", "1,2E", "1,2E", "1,2E", "1,2E"},
                          Number{"1,23,456", "1,23,456", "1,23,456", "1,23,456", "1,23,456"},
                          Number{"1.2.3", "1.2.3", "1.2.3", "1.2.3", "1.2.3"},
                          Number{"1,234,56", "1,234,56", "1,234,56", "1,234,56", "1,234,56"},
                          Number{"float", "float", "float", "float", "float"},
                          Number{",", ",", ",", ",", ","},
                          Number{"", "", "", "", ""}}) {
    INFO(n.written);
    CHECK(plain_number(n.written, DecimalMark::dot) == n.dot);
    CHECK(plain_number(n.written, DecimalMark::comma) == n.comma);
    CHECK(plain_number(n.written, DecimalMark::either) == n.either);
    CHECK(plain_number(n.written, DecimalMark::unclear) == n.unclear);
  }
}

TEST_CASE("the decimal mark that numbers show together") {
  using measured::DecimalMark;
  using measured::DecimalMarks;
  const auto found = [](const std::vector<std::string>& whole, const std::vector<std::string>& others) {
    DecimalMarks marks;
    for (const std::string& word : whole) marks.add_whole(word);
    for (const std::string& word : others) marks.add(word);
    return marks.found();
  };
  CHECK(found({"1,048,576"}, {"1,846"}) == DecimalMark::dot);
  CHECK(found({"1.048.576"}, {"1.846"}) == DecimalMark::comma);
  CHECK(found({"4,096"}, {"1,846"}) == DecimalMark::dot);
  CHECK(found({"4.096"}, {"1.846"}) == DecimalMark::comma);
  CHECK(found({"4096"}, {"79,5", "1.846"}) == DecimalMark::comma);
  CHECK(found({"512.000", "1048576.000"}, {"1.846"}) == DecimalMark::dot);
  CHECK(found({"4096"}, {"1,846E+02", "1,846"}) == DecimalMark::comma);
  CHECK(found({"1,049E+06"}, {"1,846"}) == DecimalMark::comma);
  CHECK_FALSE(found({"4096"}, {"1,846", "1.846", "float", ""}));
  CHECK_FALSE(found({"1.048.576"}, {"79.5"}));
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

TEST_CASE("the other numbers of a row show what a lone dot or comma is") {
  const std::string nccl = "# nThread 1 nGpus 1 minBytes 8\n# size count type redop root time algbw busbw #wrong\n";
  for (const char* row : {"268.435.456 67.108.864 float sum -1 12.925 20,77 38,94 0\n",
                          "268,435,456 67,108,864 float sum -1 12,925 20.77 38.94 0\n"}) {
    INFO(row);
    CHECK(parse_measured(nccl + row, "x").at(0).rows.at(0).time_us == 12925);
  }
  const std::string osu = "# OSU MPI Allreduce Latency Test v7.3\n# Size       Avg Latency(us)\n";
  for (const char* row : {"1.048.576 1.207\n", "1,048,576 1,207\n", "1048576 1,207\n"}) {
    INFO(row);
    CHECK(parse_measured(osu + row, "x", {.ranks = 8}).at(0).rows.at(0).time_us == 1207);
  }
  CHECK(parse_measured(osu + "1048576 1.207\n", "x", {.ranks = 8}).at(0).rows.at(0).time_us == 1.207);
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
  has("# size_bytes,time_us\n1048576,53.11\n2097152,1266.21\n"); // as numpy.savetxt writes it
  has("# size_bytes\ttime_us\n1048576\t53.11\n2097152\t1266.21\n");
  has("# size_bytes, time_us, by hand\nsize_bytes,time_us\n1048576,53.11\n2097152,1266.21\n");
  has(",size_bytes,time_us\n0,1048576,53.11\n1,2097152,1266.21\n");
  has("iteration,size_bytes,time_us\n0,1048576,53.11\n1,1048576,53.11\n0,2097152,1266.21\n1,2097152,1266.21\n");
  has("size_bytes,time_us\n1048576B,53.11\n2097152 B,1266.21\n");
  const auto halves = rows("size,oop_time,oop_algbw,oop_busbw,ip_time,ip_algbw,ip_busbw\n"
                           "1048576,53.11,19.74,37.02,54.00,19.42,36.41\n");
  CHECK(halves.at(0).time_us == 53.11);
  CHECK(halves.at(0).inplace_time_us == 54.0);
  CHECK(rows("size,out_of_place_time,in_place_time\n8,5.1,5.2\n").at(0).inplace_time_us == 5.2);
}

TEST_CASE("the other numbers of a file show what a lone comma or dot is") {
  const auto times = [](const std::string& text) {
    INFO(text);
    std::vector<double> found;
    for (const auto& table : parse_measured(text, "x.csv", {.op = Operation::all_reduce}))
      for (const auto& row : table.rows) found.push_back(row.time_us);
    return found;
  };
  const std::vector<double> both = {79.5, 1846};
  CHECK(times("size_bytes\ttime_us\n1,048,576\t79.5\n16,777,216\t1,846\n") == both);
  CHECK(times("size_bytes;time_us\n1.048.576;79,5\n16.777.216;1.846\n") == both);
  CHECK(times("size_bytes,time_us\n\"1,048,576\",79.5\n\"16,777,216\",\"1,846\"\n") == both);
  CHECK(times("size_bytes,time_us\n\"4,096\",\"1,846\"\n") == std::vector<double>{1846});
  CHECK(times("size_bytes;time_us\n4096;1,846\n8192;79,500\n") == std::vector<double>{1.846, 79.5});
  CHECK(times("size_bytes;time_us\n4096;1.846\n") == std::vector<double>{1.846});
  CHECK(times("size_bytes,time_us\n512.000,1.846\n1048576.000,79.5\n") == std::vector<double>{1.846, 79.5});
  // A spreadsheet's copy of a whole table of nccl-tests.
  CHECK(times("size\tcount\ttype\tredop\troot\ttime\talgbw\tbusbw\t#wrong\n"
              "4,096\t1,024\tfloat\tsum\t-1\t12.3\t0.33\t0.62\t0\n"
              "268,435,456\t67,108,864\tfloat\tsum\t-1\t12,925\t20.77\t38.94\t0\n") ==
        std::vector<double>{12.3, 12925});
  for (const char* text : {"size_bytes,time_us,collective,ranks\n1048576,\"1,234\",all_reduce,16\n",
                           "size_bytes\ttime_us\tcollective\tranks\n1048576\t1,234\tall_reduce\t16\n"})
    CHECK_THAT(refused_log(text), Contains("time_us \"1,234\" may be 1234 or 1.234: the row is left out; write it "
                                           "without a separator of thousands, and with a dot before decimals"));
  // Sizes with dots and times with dots: only what is clear counts.
  CHECK(times("size_bytes;time_us\n1.048.576;79.5\n2.097.152;1,846\n4.096;12.5\n") == std::vector<double>{79.5});
}

TEST_CASE("OSU: titles with single blanks, and rates in GB/s") {
  const auto tables = parse_measured("$ mpirun -np 16 osu_allreduce -f\n# OSU MPI Allreduce Latency Test v7.2\n"
                                     "# Size Avg Latency(us) Min Latency(us) Max Latency(us) Iterations\n"
                                     "8 20.00 18.00 25.00 1000\n",
                                     "x");
  REQUIRE(tables.at(0).rows.size() == 1);
  CHECK(tables[0].rows[0].time_us == 20);
  const auto rates =
      parse_measured("# OSU MPI Bandwidth Test v7.2\n# Size      Bandwidth (GB/s)\n1000000    10.00\n", "x");
  CHECK(rates.at(0).rows.at(0).time_us == 100);
}

TEST_CASE("OSU: the unit in the title of the times") {
  const auto log = [](const std::string& unit) {
    return fmt::format("# OSU MPI Allreduce Latency Test v7.2\n# Size       Avg Latency({0})   Max Latency({0})\n"
                       "8      20.00      25.00\n",
                       unit);
  };
  const MeasuredRow row = parse_measured(log("ms"), "x").at(0).rows.at(0);
  CHECK(row.time_us == 20000);
  CHECK_THAT(refused_log(log("cycles")), Contains("a table with neither"));
}
