// SPDX-License-Identifier: GPL-3.0-or-later
// Both ways of ProgramStore's bytes go through one list of members for each type: what is written
// is what is read. Each list takes its object apart whole, so that a member that is added to a type
// and not here does not compile.
#include "core/container/mil/program_store.h"
#include "core/container/mil/squeezed_bytes.h"

#include <cstring>
#include <string_view>
#include <type_traits>
#include <unordered_map>

namespace kernscope::mil {

namespace {

constexpr std::uint64_t kMoreBytes = 0x80;
constexpr std::size_t kSqueezedAtOnce = std::size_t{256} << 10;

/// Small numbers of either sign in few bytes: 0, -1, 1, -2, … as 0, 1, 2, 3, …
std::uint64_t zigzag(std::uint64_t number)
{
    const bool negative = (number >> 63) != 0;
    return (number << 1) ^ (negative ? ~std::uint64_t{0} : 0);
}

std::uint64_t unzigzag(std::uint64_t code)
{
    return (code >> 1) ^ ((code & 1) != 0 ? ~std::uint64_t{0} : 0);
}

class PackStream
{
public:
    static constexpr bool kReads = false;

    std::vector<std::byte> take()
    {
        m_squeezer.add(m_bytes);
        m_bytes.clear();
        return m_squeezer.finish();
    }

    void number(std::uint64_t value)
    {
        for (; value >= kMoreBytes; value >>= 7)
            m_bytes.push_back(static_cast<std::byte>(value | kMoreBytes));
        m_bytes.push_back(static_cast<std::byte>(value));
    }
    void raw(const void *bytes, std::size_t count)
    {
        const auto *from = static_cast<const std::byte *>(bytes);
        m_bytes.insert(m_bytes.end(), from, from + count);
    }
    /// Its number among those there were, or 0 and the text itself.
    void text(const std::string &text)
    {
        const auto [known, isNew] = m_texts.try_emplace(text, m_texts.size() + 1);
        number(isNew ? 0 : known->second);
        if (!isNew)
            return;
        number(text.size());
        raw(text.data(), text.size());
        if (m_bytes.size() < kSqueezedAtOnce)
            return;
        m_squeezer.add(m_bytes);
        m_bytes.clear();
    }
    void span(const SourceSpan &span)
    {
        number(zigzag(span.offset - m_at));
        number(span.length);
        m_at = span.offset;
    }

private:
    Squeezer m_squeezer;
    std::vector<std::byte> m_bytes;                              ///< that it has not got yet
    std::unordered_map<std::string_view, std::uint64_t> m_texts; ///< of the program, which stays
    std::uint64_t m_at = 0;                                      ///< of the last span
};

class UnpackStream
{
public:
    static constexpr bool kReads = true;

    explicit UnpackStream(const std::vector<std::byte> &bytes) : m_from(bytes.data()) {}

    std::uint64_t next()
    {
        std::uint64_t value = 0;
        for (unsigned shift = 0;; shift += 7) {
            const auto byte = static_cast<std::uint64_t>(*m_from++);
            value |= (byte & (kMoreBytes - 1)) << shift;
            if (byte < kMoreBytes)
                return value;
        }
    }
    void raw(void *bytes, std::size_t count)
    {
        if (count > 0)
            std::memcpy(bytes, m_from, count);
        m_from += count;
    }
    void text(std::string &text)
    {
        if (const std::uint64_t known = next(); known > 0) {
            text = m_texts[known - 1];
            return;
        }
        const std::uint64_t size = next();
        text.assign(reinterpret_cast<const char *>(m_from), size);
        m_texts.emplace_back(reinterpret_cast<const char *>(m_from), size);
        m_from += size;
    }
    void span(SourceSpan &span)
    {
        span.offset = m_at += unzigzag(next());
        span.length = next();
    }

private:
    const std::byte *m_from;
    std::vector<std::string_view> m_texts; ///< in the packed bytes
    std::uint64_t m_at = 0;
};

/// Numbers, enumerators and flags.
template <class Stream, class T>
void passNumber(Stream &stream, T &value)
{
    if constexpr (Stream::kReads)
        value = static_cast<T>(stream.next());
    else
        stream.number(static_cast<std::uint64_t>(value));
}

/// The length of a list, which then has it.
template <class Stream, class List>
void passSize(Stream &stream, List &list)
{
    if constexpr (Stream::kReads)
        list.resize(stream.next());
    else
        stream.number(list.size());
}

template <class Stream, class List, class Pass>
void passList(Stream &stream, List &list, const Pass &pass)
{
    passSize(stream, list);
    for (auto &member : list)
        pass(stream, member);
}

template <class Stream, class Text>
void passRare(Stream &stream, Text &rare)
{
    if constexpr (Stream::kReads) {
        std::string text;
        stream.text(text);
        rare = std::move(text);
    } else {
        stream.text(rare.text());
    }
}

constexpr auto kText = [](auto &stream, auto &text) { stream.text(text); };
constexpr auto kSpan = [](auto &stream, auto &span) { stream.span(span); };

template <class Stream, class Numbers>
void passExtents(Stream &stream, Numbers &numbers)
{
    passSize(stream, numbers);
    for (auto &number : numbers) {
        if constexpr (Stream::kReads)
            number = static_cast<std::int64_t>(unzigzag(stream.next()));
        else
            stream.number(zigzag(static_cast<std::uint64_t>(number)));
    }
}

template <class Stream, class Type>
void passType(Stream &stream, Type &type)
{
    auto &[kind, element, dims, dimSpans, text, strides, interleave] = type;
    passNumber(stream, kind);
    passNumber(stream, element);
    passExtents(stream, dims);
    passList(stream, dimSpans, kSpan);
    passRare(stream, text);
    passExtents(stream, strides);
    passExtents(stream, interleave);
}

template <class Stream, class T>
void passLiteral(Stream &stream, T &literal)
{
    auto &[element, packedSpan, count, bytes, strings, elementSpans] = literal;
    passNumber(stream, element);
    passNumber(stream, packedSpan);
    passNumber(stream, count);
    passSize(stream, bytes);
    stream.raw(bytes.data(), bytes.size());
    passList(stream, strings, kText);
    passList(stream, elementSpans, kSpan);
}

/// The alternative of that number, which the variant then has.
template <std::size_t kIndex, class Variant>
auto &alternative(Variant &content)
{
    if constexpr (!std::is_const_v<Variant>)
        return content.template emplace<kIndex>();
    else
        return std::get<kIndex>(content);
}

template <class Stream, class T>
void passValue(Stream &stream, T &value)
{
    auto &[type, content, valueSpan] = value;
    passType(stream, type);
    std::size_t index = content.index();
    passNumber(stream, index);
    static_assert(std::variant_size_v<decltype(ProgramValue::content)> == 5);
    if (index == 1) {
        auto &[name, span] = alternative<1>(content);
        stream.text(name);
        stream.span(span);
    } else if (index == 2) {
        auto &[path, offset, offsetSpan] = alternative<2>(content);
        stream.text(path);
        passNumber(stream, offset);
        stream.span(offsetSpan);
    } else if (index == 3) {
        passLiteral(stream, alternative<3>(content));
    } else if (index == 4) {
        passList(stream, alternative<4>(content),
                 [](auto &to, auto &member) { passValue(to, member); });
    }
    stream.span(valueSpan);
}

constexpr auto kArgument = [](auto &stream, auto &argument) {
    auto &[name, values] = argument;
    stream.text(name);
    passList(stream, values, [](auto &to, auto &value) { passValue(to, value); });
};

constexpr auto kNamedType = [](auto &stream, auto &named) {
    auto &[name, type, span] = named;
    stream.text(name);
    passType(stream, type);
    stream.span(span);
};

template <class Stream, class T>
void passBlock(Stream &stream, T &block)
{
    auto &[inputs, operations, outputs, outputSpans] = block;
    passList(stream, inputs, kNamedType);
    passList(stream, operations, [](auto &to, auto &operation) {
        auto &[type, opset, arguments, attributes, results, blocks, span] = operation;
        to.text(type);
        to.text(opset);
        passList(to, arguments, kArgument);
        passList(to, attributes, kArgument);
        passList(to, results, kNamedType);
        passList(to, blocks, [](auto &within, auto &nested) { passBlock(within, nested); });
        to.span(span);
    });
    passList(stream, outputs, kText);
    passList(stream, outputSpans, kSpan);
}

constexpr auto kFunction = [](auto &stream, auto &function) {
    auto &[name, nameSpan, model, opset, inputs, attributes, body] = function;
    stream.text(name);
    stream.span(nameSpan);
    stream.text(model);
    stream.text(opset);
    passList(stream, inputs, kNamedType);
    passList(stream, attributes, kArgument);
    passBlock(stream, body);
};

constexpr auto kModel = [](auto &stream, auto &model) {
    auto &[path, field, kind, span, content, specification] = model;
    stream.text(path);
    passNumber(stream, field);
    stream.text(kind);
    stream.span(span);
    stream.span(content);
    stream.text(specification);
};

template <class Stream, class T>
void passProgram(Stream &stream, T &program)
{
    auto &[version, attributes, functions, models] = program;
    stream.text(version);
    passList(stream, attributes, kArgument);
    passList(stream, functions, kFunction);
    passList(stream, models, kModel);
}

} // namespace

std::vector<std::byte> packProgram(const Program &program)
{
    PackStream stream;
    passProgram(stream, program);
    return stream.take();
}

Program unpackProgram(const std::vector<std::byte> &packed)
{
    Program program;
    const std::vector<std::byte> bytes = unsqueezed(packed);
    UnpackStream stream(bytes);
    passProgram(stream, program);
    return program;
}

} // namespace kernscope::mil
