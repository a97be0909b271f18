// A stream that has come in, on the server: it may be anybody's until it has said whose it is.
#pragma once

#include <chrono>

namespace caucus::wire {

class Visitor {
 public:
  Visitor() = default;
  Visitor(const Visitor&) = delete;
  Visitor& operator=(const Visitor&) = delete;
  Visitor(Visitor&&) = delete;
  Visitor& operator=(Visitor&&) = delete;
  virtual ~Visitor() = default;

  /// Whether it has said whose it is, or has ended.
  [[nodiscard]] virtual bool is_known() = 0;
  /// Ends it if it has not said whose it is within this time, and breaks it if its other end does
  /// not let it end within this time. Called now and then; what is put off for a while is done.
  virtual void hurry(std::chrono::milliseconds limit) = 0;
  /// Ends it if it has not said whose it is, since others have come; breaks it if it was to end
  /// already.
  virtual void turn_out() = 0;
};

}  // namespace caucus::wire
