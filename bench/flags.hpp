// `--flag value` pairs of a benchmark program. The default of a flag determines its type.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace caucus::bench {

class Flags {
 public:
  Flags(int count, char** words) {
    if (count % 2 == 0) throw std::runtime_error("expected pairs of --flag value");
    for (int i = 1; i < count; i += 2) given_[words[i]] = words[i + 1];
  }

  /// Returns the value of a flag, or its default.
  template <class T>
  T take(const std::string& flag, T value) {
    const auto found = given_.find(flag);
    if (found == given_.end()) return value;
    std::string text = std::move(found->second);
    given_.erase(found);
    if constexpr (std::is_same_v<T, std::string>) {
      return text;
    } else {
      std::size_t end = 0;
      const double number = std::stod(text, &end);
      if (end != text.size()) throw std::runtime_error(flag + " " + text + ": expected a number");
      return static_cast<T>(number);
    }
  }

  /// Fails if a flag was given that no call of get() asked for.
  void expect_none_left() const {
    if (!given_.empty()) throw std::runtime_error("unknown flag " + given_.begin()->first);
  }

 private:
  std::map<std::string, std::string> given_;
};

}  // namespace caucus::bench
