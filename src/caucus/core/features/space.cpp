#include "caucus/space.hpp"

#include "caucus/core/base/text.hpp"

namespace caucus {

std::string name_of(SpaceKind kind) {
  switch (kind) {
    case SpaceKind::linear:
      return "linear";
    case SpaceKind::gaussian:
      return "gaussian";
    case SpaceKind::laplacian:
      return "laplacian";
    case SpaceKind::cauchy:
      return "cauchy";
    case SpaceKind::expert:
      return "expert";
  }
  return "unknown";
}

std::string Space::name() const {
  if (kind == SpaceKind::expert) {
    return title.empty() ? "expert " + std::to_string(expert + 1) : title;
  }
  if (is_kernel()) return name_of(kind) + " width=" + to_text(width);
  return "linear U=" + to_text(radius);
}

}  // namespace caucus
