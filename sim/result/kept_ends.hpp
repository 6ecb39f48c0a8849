// A list, such as the iterations of a run. Of very many items, it keeps the first and the last ones, and the number of
// all.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace gradflight {

template <class Item> class KeptEnds {
public:
  static constexpr std::size_t half = 50'000;   ///< kept from the beginning and up to the end
  static constexpr std::size_t most = 2 * half; ///< of no more, none is left out

  /// Counts those that are left out.
  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  /// The numbers of those that are left out: from `first` up to `second`.
  [[nodiscard]] std::pair<std::size_t, std::size_t> left_out() const {
    return {std::min(half, count_), count_ <= most ? std::min(half, count_) : count_ - half};
  }
  [[nodiscard]] bool keeps(std::size_t number) const {
    const auto [begin, end] = left_out();
    return number < count_ && (number < begin || number >= end);
  }
  /// Of one that is kept.
  [[nodiscard]] const Item& operator[](std::size_t number) const { return items_[place(number)]; }
  [[nodiscard]] Item& operator[](std::size_t number) { return items_[place(number)]; }
  [[nodiscard]] const Item& front() const { return items_.front(); }
  [[nodiscard]] Item& front() { return items_.front(); }
  [[nodiscard]] const Item& back() const { return (*this)[count_ - 1]; }
  [[nodiscard]] Item& back() { return (*this)[count_ - 1]; }
  /// All that are kept, in any order if some are left out.
  [[nodiscard]] std::vector<Item>& kept() { return items_; }

  void push_back(Item item) {
    const std::size_t at = place(count_++);
    if (at < items_.size())
      items_[at] = std::move(item);
    else
      items_.push_back(std::move(item));
  }
  /// Appends the item of each number from size() up to `size`, without asking for those that are left out.
  template <class Make> void extend(std::size_t size, const Make& item) {
    for (std::size_t i = count_; i < size; ++i) {
      if (i >= most && i + half < size) i = count_ = size - half;
      push_back(item(i));
    }
  }
  /// If none is left out.
  void pop_back() {
    items_.pop_back();
    --count_;
  }
  void clear() { *this = {}; }

  /// For bytes.hpp.
  template <class Visitor> void visit_members(Visitor& fields) { fields(items_, count_); }
  template <class Visitor> void visit_members(Visitor& fields) const { fields(items_, count_); }

private:
  static std::size_t place(std::size_t number) { return number < half ? number : half + (number - half) % half; }

  std::vector<Item> items_;
  std::size_t count_ = 0;
};

} // namespace gradflight
