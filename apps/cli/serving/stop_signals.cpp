#include "serving/stop_signals.hpp"

#include <pthread.h>

#include <utility>

namespace caucus::cli {

StopSignals::StopSignals() {
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGTERM);
  sigaddset(&signals_, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals_, &before_);
}

void StopSignals::watch(std::function<void()> stop) {
  watcher_ = std::thread([this, stop = std::move(stop)] {
    int signal = 0;
    while (sigwait(&signals_, &signal) == 0 && !done_) {
      if (came()) end_by(signal);
      came_ = signal;
      stopper_ = std::thread(stop);  // stop() may hang, and a second signal must still be seen
    }
  });
}

void StopSignals::end_by(int signal) const {
  std::signal(signal, SIG_DFL);
  pthread_sigmask(SIG_UNBLOCK, &signals_, nullptr);
  raise(signal);
}

void StopSignals::unwatch() {
  if (!watcher_.joinable()) return;
  done_ = true;
  pthread_kill(watcher_.native_handle(), SIGINT);  // wakes only this thread
  watcher_.join();
  if (stopper_.joinable()) stopper_.join();
}

StopSignals::~StopSignals() {
  unwatch();
  const timespec no_time{};
  while (sigtimedwait(&signals_, nullptr, &no_time) > 0) {
  }  // discards signals that came after the end
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace caucus::cli
