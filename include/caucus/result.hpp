// Result<T>: a value, or an error that says where, what, and what was expected.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace caucus {

/// The numeric values are the exit codes of the command line.
enum class ErrorKind { usage = 2, data = 3, network = 4, internal = 5 };

struct Error {
  ErrorKind kind = ErrorKind::internal;
  std::string where;     ///< file and line, or the name of an option
  std::string what;      ///< what is wrong, with the offending value
  std::string expected;  ///< what was expected; may be empty

  /// Returns "<where>: <what>; <expected>" on one line, whatever the parts contain.
  [[nodiscard]] std::string line() const;
};

inline Error usage_error(std::string where, std::string what, std::string expected = {}) {
  return {ErrorKind::usage, std::move(where), std::move(what), std::move(expected)};
}
inline Error data_error(std::string where, std::string what, std::string expected = {}) {
  return {ErrorKind::data, std::move(where), std::move(what), std::move(expected)};
}
inline Error network_error(std::string where, std::string what, std::string expected = {}) {
  return {ErrorKind::network, std::move(where), std::move(what), std::move(expected)};
}

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}      // NOLINT
  Result(Error error) : content_(std::in_place_index<1>, std::move(error)) {}  // NOLINT

  [[nodiscard]] bool ok() const { return content_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & { return *std::get_if<0>(&content_); }
  const T& value() const& { return *std::get_if<0>(&content_); }
  T&& value() && { return std::move(*std::get_if<0>(&content_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  Error& error() & { return *std::get_if<1>(&content_); }
  const Error& error() const& { return *std::get_if<1>(&content_); }
  Error&& error() && { return std::move(*std::get_if<1>(&content_)); }

 private:
  std::variant<T, Error> content_;
};

/// The result of an action that yields nothing but may fail.
struct Done {};
using Status = Result<Done>;

}  // namespace caucus

#define CAUCUS_CONCAT_(a, b) a##b
#define CAUCUS_CONCAT(a, b) CAUCUS_CONCAT_(a, b)
/// CAUCUS_TRY(auto x, f()) sets x to the value of f(), or returns its error from the function.
#define CAUCUS_TRY(declaration, expression)                         \
  auto CAUCUS_CONCAT(caucus_try_, __LINE__) = (expression);         \
  if (!CAUCUS_CONCAT(caucus_try_, __LINE__).ok())                   \
    return std::move(CAUCUS_CONCAT(caucus_try_, __LINE__).error()); \
  declaration = std::move(CAUCUS_CONCAT(caucus_try_, __LINE__)).value()
/// Returns the error of a Status from the enclosing function, if there is one.
#define CAUCUS_CHECK(expression)                              \
  if (auto caucus_status = (expression); !caucus_status.ok()) \
  return std::move(caucus_status.error())
