// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"

#include <array>
#include <cstddef>
#include <memory>
#include <span>

namespace kernscope {

/// SHA-256 fed piece by piece (OpenSSL's EVP, which uses the processor's instructions).
///
/// Never throws. A failure of the library (out of memory, a build without SHA-256) is remembered
/// and reported by `finish`, so that the pieces can be fed without checking each.
class Sha256
{
public:
    using Digest = std::array<std::byte, 32>;

    Sha256();
    ~Sha256();
    Sha256(Sha256 &&other) noexcept;
    Sha256 &operator=(Sha256 &&other) noexcept;
    Sha256(const Sha256 &) = delete;
    Sha256 &operator=(const Sha256 &) = delete;

    /// Feeds bytes, in order.
    void update(std::span<const std::byte> bytes);

    /// The digest of everything fed since construction or since the last `finish`; starts anew.
    /// Errors: "io.hash".
    Result<Digest> finish();
    /// The same as 64 lower-case hexadecimal digits.
    Result<std::string> finishHex();

    /// A digest as 64 lower-case hexadecimal digits.
    static std::string textOf(const Digest &digest);
    /// Digest of one run of bytes as hexadecimal digits.
    static Result<std::string> hexOf(std::span<const std::byte> bytes);

private:
    struct ContextDeleter {
        void operator()(void *context) const;
    };
    void restart();

    std::unique_ptr<void, ContextDeleter> m_context; ///< EVP_MD_CTX
    bool m_failed = false;
};

} // namespace kernscope
