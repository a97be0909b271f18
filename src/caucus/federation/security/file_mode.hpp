// Tells whether other users can read a file.
#pragma once

#include <sys/stat.h>

#include <string>

namespace caucus {

/// Returns whether it is a regular file that its group or everybody can read.
inline bool others_can_read(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
         (info.st_mode & (S_IRGRP | S_IROTH)) != 0;
}

}  // namespace caucus
