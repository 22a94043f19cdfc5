#include "shelf/shelf.h"

#include <algorithm>
#include <sstream>

namespace shelf {

std::uint64_t Checksum(const std::string& text) {
  std::uint64_t sum = 0xcbf29ce484222325u;
  for (const unsigned char letter : text) {
    sum = (sum ^ letter) * 0x100000001b3u;
  }
  return sum;
}

std::vector<std::string> Words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) {
    words.push_back(word);
  }
  return words;
}

Shelf::Shelf(std::size_t books, std::uint32_t step) {
  numbers_.reserve(books);
  for (std::size_t book = 0; book < books; ++book) {
    numbers_.push_back(static_cast<std::uint32_t>(book) * step);
  }
}

void Shelf::Put(std::uint32_t number) {
  const auto place = std::lower_bound(numbers_.begin(), numbers_.end(), number);
  if (place == numbers_.end() || *place != number) {
    numbers_.insert(place, number);
  }
}

std::size_t Shelf::Find(std::uint32_t number) const {
  const auto place = std::lower_bound(numbers_.begin(), numbers_.end(), number);
  return static_cast<std::size_t>(place - numbers_.begin());
}

}  // namespace shelf
