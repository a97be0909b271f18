#include "caucus/data/files/text_file.hpp"

#define ZLIB_CONST  // makes the input of zlib const
#include <zlib.h>

#include <array>
#include <climits>
#include <fstream>

#include "caucus/data/files/number.hpp"

namespace caucus {

Result<std::string> read_text(const std::string& path, ErrorKind kind, std::size_t most) {
  std::error_code code;
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path, code)) {
    return Error{kind, path, "cannot be read", "expected a readable file"};
  }
  std::string text;
  std::vector<char> block(1 << 16);
  while (file) {
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    text.append(block.data(), static_cast<std::size_t>(file.gcount()));
    if (text.size() > most) {
      return Error{kind, path, "is too large",
                   "expected at most " + std::to_string(most) + " bytes"};
    }
  }
  if (file.bad()) return Error{kind, path, "cannot be read", "expected a readable file"};
  return text;
}

struct TextWriter::Deflate {
  z_stream stream{};
  std::array<char, 64 << 10> out{};
};

void TextWriter::End::operator()(Deflate* deflate) const {
  deflateEnd(&deflate->stream);
  delete deflate;
}

Result<TextWriter> TextWriter::create(const std::string& path) {
  CAUCUS_TRY(OutputFile file, OutputFile::create(path));
  TextWriter writer(std::move(file));
  if (lower_case(path).ends_with(".gz")) {
    constexpr int kGzipFormat = 16 + MAX_WBITS;
    constexpr int kMemoryLevel = 8;
    writer.deflate_.reset(new Deflate);
    if (deflateInit2(&writer.deflate_->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipFormat,
                     kMemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK) {
      return data_error(path, "cannot be compressed (out of memory)");
    }
  }
  return writer;
}

Status TextWriter::write(std::string_view text) {
  if (!deflate_) return file_.write(text);
  while (!text.empty()) {  // zlib counts in 32 bits
    const std::string_view part = text.substr(0, INT_MAX);
    CAUCUS_CHECK(compress(part, Z_NO_FLUSH));
    text.remove_prefix(part.size());
  }
  return Done{};
}

Status TextWriter::commit() {
  if (deflate_) CAUCUS_CHECK(compress({}, Z_FINISH));
  return file_.commit();
}

Status TextWriter::compress(std::string_view text, int flush) {
  z_stream& stream = deflate_->stream;
  stream.next_in = reinterpret_cast<const Bytef*>(text.data());
  stream.avail_in = static_cast<uInt>(text.size());
  do {
    stream.next_out = reinterpret_cast<Bytef*>(deflate_->out.data());
    stream.avail_out = static_cast<uInt>(deflate_->out.size());
    deflate(&stream, flush);
    CAUCUS_CHECK(file_.write({deflate_->out.data(), deflate_->out.size() - stream.avail_out}));
  } while (stream.avail_out == 0);
  return Done{};
}

}  // namespace caucus
