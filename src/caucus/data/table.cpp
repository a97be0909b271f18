#include "caucus/data/table.hpp"

#include "caucus/data/files/number.hpp"

namespace caucus {

TableFormat table_format(std::string_view path) {
  const std::string lower = lower_case(path);
  std::string_view name = lower;
  if (name.ends_with(".gz")) name.remove_suffix(3);
  if (name.ends_with(".libsvm") || name.ends_with(".svm")) return TableFormat::libsvm;
  if (name.ends_with(".arff")) return TableFormat::arff;
  return TableFormat::csv;
}

Status read_table(ByteSource& source, TableFormat format, RowSink& sink) {
  if (format == TableFormat::libsvm) return read_libsvm(source, sink);
  if (format == TableFormat::csv) return read_csv(source, sink);
  return data_error(source.name(), "is ARFF, whose values need not be numbers", "expected CSV");
}

Status read_table(const std::string& path, RowSink& sink) {
  CAUCUS_TRY(ByteSource source, ByteSource::open(path));
  return read_table(source, table_format(path), sink);
}

}  // namespace caucus
