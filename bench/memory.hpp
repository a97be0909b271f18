// How much memory this process has used, from the kernel's own count.
#pragma once

#include <fstream>
#include <string>

namespace caucus::bench {

/// A line of /proc/self/status in MB (10^6 bytes); 0 where there is none.
inline double status_megabytes(const std::string& name) {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    double kilobytes = 0.0;
    if (word == name + ":" && status >> kilobytes) return kilobytes * 1024.0 / 1e6;
  }
  return 0.0;
}

/// The most that was used since the construction, beyond what was used then.
class PeakMemory {
 public:
  PeakMemory() {
    std::ofstream("/proc/self/clear_refs") << "5";  // the peak starts anew
    before_ = status_megabytes("VmRSS");
  }
  [[nodiscard]] double megabytes() const { return status_megabytes("VmHWM") - before_; }

 private:
  double before_ = 0.0;
};

}  // namespace caucus::bench
