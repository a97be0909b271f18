// Fields as bytes, for the store. A type that is stored names its fields once, in kFields, and is
// saved and read in their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

#include "caucus/core/base/state_io.hpp"

namespace caucus {

/// Pointers to the members of T, in the order of their bytes, which must not change. Telemetry and
/// CurveRecorder have fields(visit) instead.
template <class T>
inline constexpr std::nullptr_t kFields = nullptr;

template <class T>
concept StoredList = requires(T& list) {
  list.emplace_back();
};

template <class T>
void save_field(const T& value, StateWriter& into);
template <class T>
void read_field(StateReader& from, T& value);

template <class T, class... Fields>
void save_fields(const T& value, const std::tuple<Fields...>& fields, StateWriter& into) {
  std::apply([&](auto... field) { (save_field(value.*field, into), ...); }, fields);
}

template <class T, class... Fields>
void read_fields(StateReader& from, const std::tuple<Fields...>& fields, T& value) {
  std::apply([&](auto... field) { (read_field(from, value.*field), ...); }, fields);
}

template <class T>
void save_field(const T& value, StateWriter& into) {
  const auto save = [&](const auto& field) { save_field(field, into); };
  if constexpr (std::is_same_v<T, bool>) {
    into.flag(value);
  } else if constexpr (StateNumber<T>) {
    into.number(value);
  } else if constexpr (StoredList<T>) {
    into.u64(value.size());
    for (const auto& each : value) save(each);
  } else if constexpr (requires { value.fields(save); }) {
    value.fields(save);
  } else {
    save_fields(value, kFields<T>, into);
  }
}

/// Reads a value. The caller checks status(). A corrupt count may be huge, so reading a list ends
/// at the first failure.
template <class T>
void read_field(StateReader& from, T& value) {
  const auto read = [&](auto& field) { read_field(from, field); };
  if constexpr (std::is_same_v<T, bool>) {
    value = from.flag();
  } else if constexpr (StateNumber<T>) {
    value = from.number<T>();
  } else if constexpr (StoredList<T>) {
    value.clear();
    const std::uint64_t count = from.u64();
    for (std::uint64_t n = 0; n < count && from.ok(); ++n) read(value.emplace_back());
  } else if constexpr (requires { value.fields(read); }) {
    value.fields(read);
  } else {
    read_fields(from, kFields<T>, value);
  }
}

}  // namespace caucus
