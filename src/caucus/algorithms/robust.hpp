// How a server protects what it learns from clients that lie.
#pragma once

namespace caucus {

enum class Robust {
  none,  ///< every report counts with its examples
  clip,  ///< a report that the models fit much worse than most counts less
  trim   ///< the quarter of the reports that the models fit worst does not count
};

}  // namespace caucus
