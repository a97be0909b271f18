// Turns rows of texts into rows of numbers, as encodings say.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "caucus/data/encoding/encoding.hpp"
#include "caucus/data/files/cells.hpp"
#include "caucus/result.hpp"

namespace caucus {

struct EncoderOptions {
  std::size_t lags = 0;
  Impute impute = Impute::mean;
  /// For predictions: every row is encoded, and a target that is missing or unknown is NaN.
  bool target_may_be_missing = false;
};

class Encoder {
 public:
  Encoder(std::vector<Encoding> encodings, EncoderOptions options);

  /// Finds the columns in a file: by their names, or by their places if there are no names. A file
  /// may have further columns. It begins new histories for the lags.
  Status begin(const CellHeader& header, const std::string& file);
  /// The columns that encode() makes.
  [[nodiscard]] TableHeader encoded_header() const;
  /// The column of the target in the file, if it has one.
  [[nodiscard]] std::optional<std::size_t> target_place() const { return places_[target_]; }

  /// Replaces `row` by the encoded columns. Returns false if the row is left out: its target is
  /// missing, or a feature is and such rows are dropped.
  Result<bool> encode(std::span<const std::string_view> cells, std::size_t line,
                      std::vector<double>& row);

  /// The rows left out so far because their target is missing, or a feature is.
  [[nodiscard]] std::size_t without_target() const { return without_target_; }
  [[nodiscard]] std::size_t without_feature() const { return without_feature_; }

 private:
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  using Levels = std::unordered_map<std::string, std::size_t, TextHash, std::equal_to<>>;
  struct Value {
    double number = 0.0;
    bool missing = false;
  };
  using Past = std::deque<std::vector<double>>;  ///< of one client, the latest first

  Status find_by_name(const CellHeader& header);
  Status find_by_place(const CellHeader& header);
  Result<Value> number_in(std::size_t encoding, std::string_view cell, std::size_t line) const;
  Result<Value> level_in(std::size_t encoding, std::string_view cell, std::size_t line) const;
  Result<Value> value_in(std::size_t encoding, std::string_view cell, std::size_t line) const;
  Status append(std::size_t encoding, std::string_view cell, std::size_t line,
                std::vector<double>& row);
  void append_feature(const Encoding& encoding, std::string_view cell, const Value& value,
                      std::vector<double>& row) const;
  void append_lags(const std::string& client, std::vector<double>& row);
  [[nodiscard]] std::string where(std::size_t encoding, std::size_t line) const;
  [[nodiscard]] Error unreadable(std::size_t encoding, std::string_view cell, std::size_t line,
                                 const std::string& what) const;

  std::vector<Encoding> encodings_;
  EncoderOptions options_;
  std::size_t target_ = 0;  ///< the encoding of the target
  std::vector<Levels> levels_;
  std::vector<std::size_t> lagged_;
  std::string file_;
  TableHeader header_;
  bool decimal_comma_ = false;
  std::vector<std::optional<std::size_t>> places_;  ///< of each encoding in the file
  std::map<std::string, Past> pasts_;
  std::vector<double> present_;                  ///< the numbers of the row that will be lagged
  bool no_target_ = false, no_feature_ = false;  ///< of the row
  std::size_t without_target_ = 0, without_feature_ = 0;
};

}  // namespace caucus
