// The only file that uses SQLite.
#include "analysis/explore/sweeps/sweep_merge.hpp"
#include "analysis/run/files/output_file.hpp"
#include "scenarios/language/decode/canonical.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

namespace gradflight {
namespace {

namespace fs = std::filesystem;

void bind(SQLite::Statement& statement, int at, const Cell& cell) {
  if (const auto* integer = std::get_if<std::int64_t>(&cell))
    statement.bind(at, *integer);
  else if (const auto* real = std::get_if<double>(&cell))
    statement.bind(at, *real);
  else if (const auto* text = std::get_if<std::string>(&cell))
    statement.bind(at, *text);
  else
    statement.bind(at);
}

void insert(SQLite::Statement& statement, const std::vector<Cell>& cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) bind(statement, static_cast<int>(i) + 1, cells[i]);
  statement.exec();
  statement.reset();
}

SQLite::Statement insertion(SQLite::Database& db, const std::string& table, std::size_t columns) {
  std::string marks;
  for (std::size_t i = 0; i < columns; ++i) marks += i == 0 ? "?" : ", ?";
  return {db, fmt::format("INSERT INTO {} VALUES ({})", table, marks)};
}

std::string sql_name(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + "\"";
}

const char* type_name(SweepColumn::Type type) {
  switch (type) {
  case SweepColumn::Type::integer: return "INTEGER";
  case SweepColumn::Type::real: return "REAL";
  case SweepColumn::Type::text: return "TEXT";
  }
  return "";
}

void fill(const SweepTable& table, const Sweep& sweep, const fs::path& file) {
  SQLite::Database db(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  // Equal pages, without leftovers, for any SQLite build and environment.
  db.exec("PRAGMA page_size = 4096; PRAGMA encoding = 'UTF-8'; PRAGMA auto_vacuum = NONE; "
          "PRAGMA secure_delete = ON; PRAGMA journal_mode = MEMORY; PRAGMA synchronous = FULL");
  std::string columns;
  for (const auto& column : table.columns)
    columns += fmt::format("{}{} {}", columns.empty() ? "" : ", ", sql_name(column.name), type_name(column.type));
  db.exec("BEGIN");
  db.exec("CREATE TABLE results (" + columns + ")");
  db.exec("CREATE TABLE sweep (name TEXT, model_version TEXT, file TEXT)");
  {
    auto about = insertion(db, "sweep", 3);
    insert(about, {sweep.name, std::string(model_version), self_contained_json(sweep)});
    auto results = insertion(db, "results", table.columns.size());
    for (const auto& row : table.rows) insert(results, row);
  }
  db.exec("COMMIT");
}

} // namespace

bool is_sweep_sqlite(const fs::path& path) {
  try {
    SQLite::Database db(path.string(), SQLite::OPEN_READONLY);
    return db.tableExists("results") && db.tableExists("sweep");
  } catch (const SQLite::Exception&) { // it is no database
    return false;
  }
}

void write_sqlite(const SweepTable& table, const Sweep& sweep, const fs::path& path) {
  const fs::path temporary = temporary_path(path);
  std::error_code ignored;
  fs::remove(temporary, ignored);
  try {
    fill(table, sweep, temporary);
    std::error_code error;
    fs::rename(temporary, path, error);
    if (error) throw ResultLost(fmt::format("cannot write {}: {}", path.string(), error.message()));
  } catch (const SQLite::Exception& error) {
    fs::remove(temporary, ignored);
    throw ResultLost(fmt::format("cannot write {}: {}", path.string(), error.what()));
  } catch (const OutputError&) {
    fs::remove(temporary, ignored);
    throw;
  }
}

} // namespace gradflight
