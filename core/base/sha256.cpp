// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/sha256.h"

#include "core/base/error_builder.h"

#include <openssl/evp.h>

namespace kernscope {

namespace {

EVP_MD_CTX *contextOf(void *context)
{
    return static_cast<EVP_MD_CTX *>(context);
}

} // namespace

void Sha256::ContextDeleter::operator()(void *context) const
{
    EVP_MD_CTX_free(contextOf(context));
}

Sha256::Sha256() : m_context(EVP_MD_CTX_new())
{
    restart();
}

Sha256::~Sha256() = default;
Sha256::Sha256(Sha256 &&other) noexcept = default;
Sha256 &Sha256::operator=(Sha256 &&other) noexcept = default;

void Sha256::restart()
{
    m_failed =
        !m_context || EVP_DigestInit_ex(contextOf(m_context.get()), EVP_sha256(), nullptr) != 1;
}

void Sha256::update(std::span<const std::byte> bytes)
{
    if (m_failed || bytes.empty())
        return;
    m_failed = EVP_DigestUpdate(contextOf(m_context.get()), bytes.data(), bytes.size()) != 1;
}

Result<Sha256::Digest> Sha256::finish()
{
    Digest digest{};
    unsigned length = 0;
    const bool failed =
        m_failed ||
        EVP_DigestFinal_ex(contextOf(m_context.get()),
                           reinterpret_cast<unsigned char *>(digest.data()), &length) != 1 ||
        length != digest.size();
    restart();
    if (failed) {
        return ErrorBuilder("io.hash").message("The SHA-256 library failed").unexpected();
    }
    return digest;
}

Result<std::string> Sha256::finishHex()
{
    const auto digest = finish();
    return digest ? Result<std::string>(textOf(*digest)) : tl::unexpected(digest.error());
}

std::string Sha256::textOf(const Digest &digest)
{
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    text.reserve(2 * digest.size());
    for (const std::byte byte : digest) {
        text += kDigits[std::to_integer<std::size_t>(byte >> 4)];
        text += kDigits[std::to_integer<std::size_t>(byte & std::byte{0xf})];
    }
    return text;
}

Result<std::string> Sha256::hexOf(std::span<const std::byte> bytes)
{
    Sha256 hash;
    hash.update(bytes);
    return hash.finishHex();
}

} // namespace kernscope
