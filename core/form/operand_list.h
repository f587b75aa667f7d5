// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/form/encoding.h"

#include <iterator>

namespace kernscope {

/// The stored operands of a weight, one behind the other. They belong to an encoding, or to the
/// list alone where there is none; either lives as long as a list of them. Immutable, safe to share
/// between threads.
class OperandList
{
public:
    class Iterator
    {
    public:
        using iterator_category = std::forward_iterator_tag;
        using value_type = codec::Operand;
        using difference_type = std::ptrdiff_t;
        using pointer = const codec::Operand *;
        using reference = const codec::Operand &;

        Iterator() = default;
        explicit Iterator(const codec::Operand *const *at) : m_at(at) {}
        reference operator*() const { return **m_at; }
        pointer operator->() const { return *m_at; }
        Iterator &operator++()
        {
            ++m_at;
            return *this;
        }
        Iterator operator++(int) { return Iterator(m_at++); }
        friend bool operator==(Iterator a, Iterator b) { return a.m_at == b.m_at; }

    private:
        const codec::Operand *const *m_at = nullptr;
    };

    OperandList() = default;
    /// Those of an encoding.
    explicit OperandList(std::shared_ptr<const codec::Encoding> encoding);
    explicit OperandList(std::vector<codec::Operand> operands);

    Iterator begin() const { return Iterator(m_all.data()); }
    Iterator end() const { return Iterator(m_all.data() + m_all.size()); }
    std::size_t size() const { return m_all.size(); }
    bool empty() const { return m_all.empty(); }
    const codec::Operand &operator[](std::size_t index) const { return *m_all[index]; }
    const codec::Operand &front() const { return *m_all.front(); }

private:
    std::vector<const codec::Operand *> m_all;
    std::shared_ptr<const void> m_owner;
};

} // namespace kernscope
