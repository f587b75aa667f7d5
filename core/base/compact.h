// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// Members of objects that a bundle holds by the hundred thousand: one pointer each, and nothing
/// else while they are empty.
namespace kernscope {

/// A std::vector in one pointer; its size stands before its elements. At most 2^32 - 1 elements:
/// more throw std::length_error, as std::vector does past its own limit. T may be incomplete where
/// the vector is declared.
template <class T>
class CompactVector
{
public:
    using value_type = T;
    using size_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    using reference = T &;
    using const_reference = const T &;
    using iterator = T *;
    using const_iterator = const T *;

    CompactVector() noexcept = default;
    explicit CompactVector(std::size_t count) { resize(count); }
    CompactVector(std::initializer_list<T> items) { append(items.begin(), items.end()); }
    CompactVector(const std::vector<T> &items) { append(items.begin(), items.end()); }
    CompactVector(const CompactVector &other) { append(other.begin(), other.end()); }
    CompactVector(CompactVector &&other) noexcept : m_head(std::exchange(other.m_head, nullptr)) {}
    CompactVector &operator=(CompactVector other) noexcept
    {
        std::swap(m_head, other.m_head);
        return *this;
    }
    ~CompactVector() { release(); }

    operator std::vector<T>() const { return std::vector<T>(begin(), end()); }

    std::size_t size() const noexcept { return m_head ? m_head->size : 0; }
    std::size_t capacity() const noexcept { return m_head ? m_head->capacity : 0; }
    bool empty() const noexcept { return size() == 0; }
    T *data() noexcept { return m_head ? elements(m_head) : nullptr; }
    const T *data() const noexcept { return m_head ? elements(m_head) : nullptr; }
    T *begin() noexcept { return data(); }
    T *end() noexcept { return data() + size(); }
    const T *begin() const noexcept { return data(); }
    const T *end() const noexcept { return data() + size(); }
    const T *cbegin() const noexcept { return begin(); }
    const T *cend() const noexcept { return end(); }
    auto rbegin() const noexcept { return std::reverse_iterator(end()); }
    auto rend() const noexcept { return std::reverse_iterator(begin()); }
    T &operator[](std::size_t index) { return data()[index]; }
    const T &operator[](std::size_t index) const { return data()[index]; }
    T &front() { return *begin(); }
    const T &front() const { return *begin(); }
    T &back() { return *(end() - 1); }
    const T &back() const { return *(end() - 1); }

    template <class... Arguments>
    T &emplace_back(Arguments &&...arguments)
    {
        if (size() < capacity())
            return construct(m_head, std::forward<Arguments>(arguments)...);
        // The new element first: an argument may be one of the elements that move.
        CompactVector larger;
        larger.m_head = allocate(grown(size()));
        T *at = elements(larger.m_head) + size();
        std::construct_at(at, std::forward<Arguments>(arguments)...);
        moveInto(larger);
        ++larger.m_head->size;
        std::swap(m_head, larger.m_head);
        return *at;
    }
    void push_back(const T &item) { emplace_back(item); }
    void push_back(T &&item) { emplace_back(std::move(item)); }
    void pop_back()
    {
        std::destroy_at(&back());
        --m_head->size;
    }
    template <class Iterator>
    void append(Iterator from, Iterator to)
    {
        if (from == to)
            return;
        reserve(size() + static_cast<std::size_t>(std::distance(from, to)));
        for (; from != to; ++from)
            construct(m_head, *from);
    }
    void resize(std::size_t count)
    {
        reserve(count);
        while (size() < count)
            construct(m_head);
        while (size() > count)
            pop_back();
    }
    void reserve(std::size_t count)
    {
        if (count > capacity())
            moveTo(count);
    }
    void shrink_to_fit()
    {
        if (size() < capacity())
            moveTo(size());
    }
    void clear() noexcept
    {
        release();
        m_head = nullptr;
    }

    friend bool operator==(const CompactVector &a, const CompactVector &b)
    {
        return std::equal(a.begin(), a.end(), b.begin(), b.end());
    }

private:
    struct Head {
        std::uint32_t size, capacity;
    };

    static constexpr std::size_t headBytes()
    {
        static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
        return std::max(sizeof(Head), alignof(T));
    }
    static T *elements(Head *head) noexcept
    {
        return reinterpret_cast<T *>(reinterpret_cast<std::byte *>(head) + headBytes());
    }
    static const T *elements(const Head *head) noexcept
    {
        return reinterpret_cast<const T *>(reinterpret_cast<const std::byte *>(head) + headBytes());
    }
    /// The room for one more element: one, then three, since most lists are as short, then twice.
    static std::size_t grown(std::size_t size)
    {
        return size == 0 ? 1 : size < 3 ? size + 1 : size * 2;
    }
    static Head *allocate(std::size_t capacity)
    {
        constexpr std::size_t most = std::min<std::size_t>(
            std::numeric_limits<std::uint32_t>::max(),
            (std::numeric_limits<std::size_t>::max() - headBytes()) / sizeof(T));
        if (capacity > most)
            throw std::length_error("CompactVector");
        void *bytes = ::operator new(headBytes() + capacity * sizeof(T));
        return ::new (bytes) Head{0, static_cast<std::uint32_t>(capacity)};
    }
    template <class... Arguments>
    static T &construct(Head *head, Arguments &&...arguments)
    {
        T *at =
            std::construct_at(elements(head) + head->size, std::forward<Arguments>(arguments)...);
        ++head->size;
        return *at;
    }
    void moveInto(CompactVector &larger)
    {
        for (T &item : *this)
            construct(larger.m_head, std::move(item));
    }
    void moveTo(std::size_t capacity)
    {
        CompactVector other;
        if (capacity > 0) {
            other.m_head = allocate(capacity);
            moveInto(other);
        }
        std::swap(m_head, other.m_head);
    }
    void release() noexcept
    {
        if (!m_head)
            return;
        std::destroy_n(elements(m_head), m_head->size);
        ::operator delete(m_head);
    }

    Head *m_head = nullptr;
};

/// A std::optional whose value lies elsewhere, for what few objects have. A copy copies the value.
template <class T>
class BoxedOptional
{
public:
    BoxedOptional() noexcept = default;
    BoxedOptional(std::nullopt_t) noexcept {}
    BoxedOptional(T value) : m_value(std::make_unique<T>(std::move(value))) {}
    BoxedOptional(std::optional<T> value)
        : m_value(value ? std::make_unique<T>(*std::move(value)) : nullptr)
    {
    }
    BoxedOptional(const BoxedOptional &other)
        : m_value(other.m_value ? std::make_unique<T>(*other.m_value) : nullptr)
    {
    }
    BoxedOptional(BoxedOptional &&) noexcept = default;
    BoxedOptional &operator=(BoxedOptional other) noexcept
    {
        m_value.swap(other.m_value);
        return *this;
    }

    bool has_value() const noexcept { return m_value != nullptr; }
    explicit operator bool() const noexcept { return has_value(); }
    operator std::optional<T>() const
    {
        return m_value ? std::optional<T>(*m_value) : std::nullopt;
    }
    T &operator*() & { return *m_value; }
    const T &operator*() const & { return *m_value; }
    T &&operator*() && { return std::move(*m_value); }
    T *operator->() { return m_value.get(); }
    const T *operator->() const { return m_value.get(); }
    template <class... Arguments>
    T &emplace(Arguments &&...arguments)
    {
        m_value = std::make_unique<T>(std::forward<Arguments>(arguments)...);
        return *m_value;
    }
    void reset() noexcept { m_value.reset(); }

private:
    std::unique_ptr<T> m_value;
};

/// A text that is nearly always empty.
class RareText
{
public:
    RareText &operator=(std::string text)
    {
        m_text = text.empty() ? nullptr : std::make_unique<std::string>(std::move(text));
        return *this;
    }
    RareText &operator=(std::string_view text) { return *this = std::string(text); }
    RareText &operator=(const char *text) { return *this = std::string(text); }
    RareText() noexcept = default;
    RareText(const RareText &other)
        : m_text(other.m_text ? std::make_unique<std::string>(*other.m_text) : nullptr)
    {
    }
    RareText(RareText &&) noexcept = default;
    RareText &operator=(const RareText &other) { return *this = RareText(other); }
    RareText &operator=(RareText &&) noexcept = default;

    bool empty() const noexcept { return !m_text; }
    const std::string &text() const
    {
        static const std::string none;
        return m_text ? *m_text : none;
    }
    operator const std::string &() const { return text(); }
    operator std::string_view() const { return text(); }
    friend bool operator==(const RareText &a, const RareText &b) { return a.text() == b.text(); }
    friend bool operator==(const RareText &a, std::string_view b) { return a.text() == b; }

private:
    std::unique_ptr<std::string> m_text;
};

} // namespace kernscope
