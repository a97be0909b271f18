#include "options/interrupt.hpp"

#include <unistd.h>

#include <cstdio>
#include <utility>

#include "caucus/data/files/output_file.hpp"

namespace caucus::cli {

Interruptible::Interruptible(std::function<std::string()> describe) {
  signals_.watch([this, describe = std::move(describe)] {
    remove_unfinished_files();
    const char* clear = isatty(STDERR_FILENO) != 0 ? "\r\033[K" : "";  // the line of progress
    std::fprintf(stderr, "%scaucus: interrupted; %s\n", clear, describe().c_str());
    std::fflush(stderr);
    signals_.end_process();
  });
}

}  // namespace caucus::cli
