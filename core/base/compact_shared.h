// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace kernscope {

/// A constant value that many objects share, as a std::shared_ptr to it, in one pointer: for what
/// there are millions of.
template <class T>
class CompactShared
{
public:
    CompactShared() noexcept = default; ///< null
    explicit CompactShared(T value) : m_counted(new Counted{std::move(value)}) {}
    CompactShared(const CompactShared &other) noexcept : m_counted(other.m_counted)
    {
        if (m_counted)
            m_counted->owners.fetch_add(1, std::memory_order_relaxed);
    }
    CompactShared(CompactShared &&other) noexcept
        : m_counted(std::exchange(other.m_counted, nullptr))
    {
    }
    CompactShared &operator=(CompactShared other) noexcept
    {
        std::swap(m_counted, other.m_counted);
        return *this;
    }
    ~CompactShared()
    {
        if (m_counted && m_counted->owners.fetch_sub(1, std::memory_order_acq_rel) == 1)
            delete m_counted;
    }

    explicit operator bool() const noexcept { return m_counted != nullptr; }
    const T &operator*() const { return m_counted->value; }
    const T *operator->() const { return &m_counted->value; }
    /// The value, to be changed, where no other object shares it; null elsewhere.
    T *unshared()
    {
        const bool mine = m_counted && m_counted->owners.load(std::memory_order_acquire) == 1;
        return mine ? &m_counted->value : nullptr;
    }
    bool isSameAs(const CompactShared &other) const { return m_counted == other.m_counted; }

private:
    struct Counted {
        T value;
        std::atomic<std::uint32_t> owners{1};
    };
    Counted *m_counted = nullptr;
};

} // namespace kernscope
