// Prints how many books fit on a shelf.
#include <iostream>

#include "shelf/shelf.h"

int main() {
  std::cout << shelf::Shelf(100, 3).size() << '\n';
}
