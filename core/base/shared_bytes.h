// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace kernscope {

/// Bytes that do not change any more, in memory that several owners share: a copy costs nothing.
/// Reads as a vector does.
class SharedBytes
{
public:
    SharedBytes() = default;
    SharedBytes(std::vector<std::byte> bytes) // implicit: it stands where a vector does
    {
        const auto own = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
        m_bytes = *own;
        m_owner = own;
    }
    SharedBytes(std::initializer_list<std::byte> bytes) : SharedBytes(std::vector<std::byte>(bytes))
    {
    }
    /// `bytes` stay where they are as long as `owner` lives.
    SharedBytes(std::shared_ptr<const void> owner, std::span<const std::byte> bytes)
        : m_owner(std::move(owner)), m_bytes(bytes)
    {
    }

    /// So many bytes, which `fill(std::span<std::byte>)` writes. Long ones lie in large pages where
    /// the system has them, which are handed out in less time.
    template <class Fill>
    static SharedBytes filled(std::size_t count, Fill fill)
    {
        const std::shared_ptr<std::byte> memory = allocate(count);
        fill(std::span(memory.get(), count));
        return {memory, std::span<const std::byte>(memory.get(), count)};
    }

    const std::byte *data() const { return m_bytes.data(); }
    std::size_t size() const { return m_bytes.size(); }
    bool empty() const { return m_bytes.empty(); }
    const std::byte &operator[](std::size_t i) const { return m_bytes[i]; }
    auto begin() const { return m_bytes.begin(); }
    auto end() const { return m_bytes.end(); }
    const std::shared_ptr<const void> &owner() const { return m_owner; }

    /// Some of them, in the same memory.
    SharedBytes part(std::size_t from, std::size_t count) const
    {
        return {m_owner, m_bytes.subspan(from, count)};
    }
    friend bool operator==(const SharedBytes &a, const SharedBytes &b)
    {
        return a.size() == b.size() &&
               (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
    }

private:
    static std::shared_ptr<std::byte> allocate(std::size_t count);

    std::shared_ptr<const void> m_owner;
    std::span<const std::byte> m_bytes;
};

} // namespace kernscope
