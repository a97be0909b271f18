#include "caucus/core/simd/kernels.hpp"

#include <string>

namespace caucus::simd {
namespace {

const Kernels* fastest() { return runnable().back(); }

}  // namespace

namespace detail {
constinit const Kernels* chosen = &kPortable;  // until static initialisation selects another
}

namespace {
[[maybe_unused]] const bool kChosen = (detail::chosen = fastest(), true);
}

std::vector<const Kernels*> runnable() {
  std::vector<const Kernels*> list = {&kPortable};
#ifdef __x86_64__
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    list.push_back(&kAvx2);
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")) {
      list.push_back(&kAvx512);
    }
  }
#endif
  return list;
}

Status select(std::string_view name) {
  if (name == "auto") {
    detail::chosen = fastest();
    return Done{};
  }
  std::string names = "auto";
  for (const Kernels* each : runnable()) {
    if (name == each->name) {
      detail::chosen = each;
      return Done{};
    }
    names += std::string(", ") + each->name;
  }
  return usage_error("CAUCUS_SIMD", "'" + std::string(name) + "' does not run on this machine",
                     "expected one of " + names);
}

}  // namespace caucus::simd
