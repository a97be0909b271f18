// The memory of this process, as counted by the kernel.
#pragma once

#include <fstream>
#include <string>

namespace caucus::bench {

/// Returns a line of /proc/self/status in MB (10^6 bytes), or 0 if there is none.
inline double status_megabytes(const std::string& name) {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    double kilobytes = 0.0;
    if (word == name + ":" && status >> kilobytes) return kilobytes * 1024.0 / 1e6;
  }
  return 0.0;
}

/// The peak since the construction, minus the memory used at that time.
class PeakMemory {
 public:
  PeakMemory() {
    std::ofstream("/proc/self/clear_refs") << "5";  // resets the peak
    before_ = status_megabytes("VmRSS");
  }
  [[nodiscard]] double megabytes() const { return status_megabytes("VmHWM") - before_; }

 private:
  double before_ = 0.0;
};

}  // namespace caucus::bench
