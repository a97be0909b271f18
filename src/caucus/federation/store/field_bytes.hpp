// What shows its fields (Telemetry, CurveRecorder) as bytes, for the store.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "caucus/core/base/state_io.hpp"

namespace caucus {
namespace field_bytes {

inline void write(StateWriter& into, double value) { into.real(value); }
inline void write(StateWriter& into, std::size_t value) { into.u64(value); }
template <class T>
void write(StateWriter& into, const std::vector<T>& values) {
  into.u64(values.size());
  for (const T& value : values) write(into, value);
}

inline void read(StateReader& from, double& value) { value = from.real(); }
inline void read(StateReader& from, std::size_t& value) { value = from.u64(); }
template <class T>
void read(StateReader& from, std::vector<T>& values) {
  values.clear();
  const std::uint64_t count = from.u64();
  for (std::uint64_t n = 0; n < count && from.ok(); ++n) read(from, values.emplace_back());
}

}  // namespace field_bytes

template <class Shown>
void save_fields(const Shown& shown, StateWriter& into) {
  shown.fields([&](const auto& field) { field_bytes::write(into, field); });
}

template <class Shown>
Status restore_fields(StateReader& from, Shown& shown) {
  shown.fields([&](auto& field) { field_bytes::read(from, field); });
  return from.status();
}

}  // namespace caucus
