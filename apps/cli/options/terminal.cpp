#include "options/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

namespace caucus::cli {

std::size_t terminal_width(int descriptor) {
  constexpr std::size_t kUsual = 80;
  constexpr std::size_t kLeast = 40;
  winsize size{};
  if (isatty(descriptor) == 0 || ioctl(descriptor, TIOCGWINSZ, &size) != 0) return kUsual;
  return size.ws_col == 0 ? kUsual : std::max<std::size_t>(kLeast, size.ws_col);
}

}  // namespace caucus::cli
