#include "caucus/federation/hosting/lines.hpp"

#include <utility>

namespace caucus {

std::optional<std::uint32_t> Lines::client_of(const Line& line) const {
  if (!line.client_ || of(*line.client_) != &line) return std::nullopt;
  return line.client_;
}

void Lines::take(std::uint32_t client, std::shared_ptr<Line> line) {
  cut(client, "another client of this name has connected; expected one at a time");
  line->client_ = client;
  seats_[client].line = std::move(line);
}

void Lines::cut(std::uint32_t client, const std::string& why) {
  if (Line* line = of(client)) line->cut(why);
  drop(client);
}

void Lines::end(std::uint32_t client, const std::string& why) {
  seats_[client].line->end(why);
  seats_[client].ended = true;
}

void Lines::close_all() {
  for (Seat& seat : seats_) {
    if (seat.line) seat.line->close();
    seat = {};
  }
}

}  // namespace caucus
