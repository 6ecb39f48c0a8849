// Only this file sees SQLite.
#include "analysis/exploration/sweep_merge.hpp"
#include "analysis/text/output_file.hpp"
#include "scenarios/language/decode/canonical.hpp"

#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

namespace gradflight {
namespace {

namespace fs = std::filesystem;

class Database {
public:
  explicit Database(const fs::path& file) : file_(file) { check(sqlite3_open(file.c_str(), &db_)); }
  ~Database() { sqlite3_close(db_); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void execute(const std::string& sql) { check(sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr)); }
  void check(int code) const {
    if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW) return;
    throw OutputError(fmt::format("cannot write {}: {}", file_.string(), db_ ? sqlite3_errmsg(db_) : "no memory"));
  }
  [[nodiscard]] sqlite3* handle() const { return db_; }

private:
  fs::path file_;
  sqlite3* db_ = nullptr;
};

class Insert {
public:
  Insert(Database& db, const std::string& table, std::size_t columns) : db_(db) {
    std::string marks;
    for (std::size_t i = 0; i < columns; ++i) marks += i == 0 ? "?" : ", ?";
    const auto sql = fmt::format("INSERT INTO {} VALUES ({})", table, marks);
    db_.check(sqlite3_prepare_v2(db_.handle(), sql.c_str(), -1, &statement_, nullptr));
  }
  ~Insert() { sqlite3_finalize(statement_); }
  Insert(const Insert&) = delete;
  Insert& operator=(const Insert&) = delete;

  void row(const std::vector<Cell>& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) bind(static_cast<int>(i) + 1, cells[i]);
    db_.check(sqlite3_step(statement_));
    db_.check(sqlite3_reset(statement_));
  }

private:
  void bind(int at, const Cell& cell) {
    if (const auto* integer = std::get_if<std::int64_t>(&cell))
      db_.check(sqlite3_bind_int64(statement_, at, *integer));
    else if (const auto* real = std::get_if<double>(&cell))
      db_.check(sqlite3_bind_double(statement_, at, *real));
    else if (const auto* text = std::get_if<std::string>(&cell))
      db_.check(sqlite3_bind_text64(statement_, at, text->data(), text->size(), SQLITE_TRANSIENT, SQLITE_UTF8));
    else
      db_.check(sqlite3_bind_null(statement_, at));
  }

  Database& db_;
  sqlite3_stmt* statement_ = nullptr;
};

std::string quoted(const std::string& name) {
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
  Database db(file);
  // Whatever SQLite's build and the environment say: the same pages, nothing left over in them.
  db.execute("PRAGMA page_size = 4096; PRAGMA encoding = 'UTF-8'; PRAGMA auto_vacuum = NONE; "
             "PRAGMA secure_delete = ON; PRAGMA journal_mode = MEMORY; PRAGMA synchronous = FULL");
  std::string columns;
  for (const auto& column : table.columns)
    columns += fmt::format("{}{} {}", columns.empty() ? "" : ", ", quoted(column.name), type_name(column.type));
  db.execute("BEGIN");
  db.execute("CREATE TABLE results (" + columns + ")");
  db.execute("CREATE TABLE sweep (name TEXT, model_version TEXT, file TEXT)");
  {
    Insert about(db, "sweep", 3);
    about.row({sweep.name, std::string(model_version), self_contained_json(sweep)});
    Insert results(db, "results", table.columns.size());
    for (const auto& row : table.rows) results.row(row);
  }
  db.execute("COMMIT");
}

} // namespace

void write_sqlite(const SweepTable& table, const Sweep& sweep, const fs::path& path) {
  const fs::path temporary = path.string() + fmt::format(".tmp{}", getpid());
  std::error_code ignored;
  fs::remove(temporary, ignored);
  try {
    fill(table, sweep, temporary);
    std::error_code error;
    fs::rename(temporary, path, error);
    if (error) throw OutputError(fmt::format("cannot write {}: {}", path.string(), error.message()));
  } catch (const OutputError&) {
    fs::remove(temporary, ignored);
    throw;
  }
}

} // namespace gradflight
