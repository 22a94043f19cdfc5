// A shelf of numbered books.
#ifndef SHELF_SHELF_H_
#define SHELF_SHELF_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace shelf {

// A checksum of a text (FNV-1a).
std::uint64_t Checksum(const std::string& text);

// The words of a text.
std::vector<std::string> Words(const std::string& text);

// Books in the order of their numbers.
class Shelf {
 public:
  // A shelf with the numbers 0, step, 2 * step, ...
  Shelf(std::size_t books, std::uint32_t step);

  // Puts a book where it belongs; a number that is there already stays alone.
  void Put(std::uint32_t number);

  // The place of a number, or of the first larger one.
  std::size_t Find(std::uint32_t number) const;

  std::size_t size() const { return numbers_.size(); }

 private:
  std::vector<std::uint32_t> numbers_;
};

}  // namespace shelf

#endif  // SHELF_SHELF_H_
