// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/mil/pack_streams.h"
#include "core/container/mil/program.h"

#include <type_traits>

/// The members of a program, in one list for each type, through which PackStream and UnpackStream
/// go: what is written is what is read. Each list takes its object apart whole, so that a member
/// that is added to a type and not here does not compile. Private to PackedProgram.
namespace kernscope::mil {

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

inline constexpr auto kText = [](auto &stream, auto &text) { stream.text(text); };
inline constexpr auto kSpan = [](auto &stream, auto &span) { stream.span(span); };

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

inline constexpr auto kArgument = [](auto &stream, auto &argument) {
    auto &[name, values] = argument;
    stream.text(name);
    passList(stream, values, [](auto &to, auto &value) { passValue(to, value); });
};

inline constexpr auto kNamedType = [](auto &stream, auto &named) {
    auto &[name, type, span] = named;
    stream.text(name);
    passType(stream, type);
    stream.span(span);
};

/// A block without its operations, whose number it tells: they stand by themselves.
template <class Stream, class T>
void passBlock(Stream &stream, T &block, std::vector<std::size_t> &counts)
{
    auto &[inputs, operations, outputs, outputSpans] = block;
    passList(stream, inputs, kNamedType);
    passList(stream, outputs, kText);
    passList(stream, outputSpans, kSpan);
    std::size_t count = operations.size();
    passNumber(stream, count);
    counts.push_back(count);
}

/// An operation without those of its blocks. `counts` gets how many each block has.
template <class Stream, class T>
void passOperation(Stream &stream, T &operation, std::vector<std::size_t> &counts)
{
    auto &[type, opset, arguments, attributes, results, blocks, span] = operation;
    stream.text(type);
    stream.text(opset);
    passList(stream, arguments, kArgument);
    passList(stream, attributes, kArgument);
    passList(stream, results, kNamedType);
    passSize(stream, blocks);
    for (auto &block : blocks)
        passBlock(stream, block, counts);
    stream.span(span);
}

/// A function without its operations.
template <class Stream, class T>
void passFunction(Stream &stream, T &function, std::vector<std::size_t> &counts)
{
    auto &[name, nameSpan, model, opset, inputs, attributes, body] = function;
    stream.text(name);
    stream.span(nameSpan);
    stream.text(model);
    stream.text(opset);
    passList(stream, inputs, kNamedType);
    passList(stream, attributes, kArgument);
    passBlock(stream, body, counts);
}

inline constexpr auto kModel = [](auto &stream, auto &model) {
    auto &[path, field, kind, span, content, specification] = model;
    stream.text(path);
    passNumber(stream, field);
    stream.text(kind);
    stream.span(span);
    stream.span(content);
    stream.text(specification);
};

inline constexpr auto kFeature = [](auto &stream, auto &feature) {
    auto &[name, words, kind, detail, element, shape, allowed, ranges, optional] = feature;
    for (auto *text : {&name, &words, &kind, &detail})
        stream.text(*text);
    passNumber(stream, element);
    passExtents(stream, shape);
    passList(stream, allowed, [](auto &to, auto &each) { passExtents(to, each); });
    passList(stream, ranges, [](auto &to, auto &range) {
        auto &[first, last] = range;
        passNumber(to, first);
        passNumber(to, last);
    });
    passNumber(stream, optional);
};

inline constexpr auto kDescription = [](auto &stream, auto &description) {
    auto &[model, functions, defaultFunction, labels, metadata] = description;
    stream.text(model);
    passList(stream, functions, [](auto &to, auto &function) {
        auto &[name, inputs, outputs, states, predicted, probabilities] = function;
        for (auto *text : {&name, &predicted, &probabilities})
            to.text(*text);
        for (auto *features : {&inputs, &outputs, &states})
            passList(to, *features, kFeature);
    });
    stream.text(defaultFunction);
    passList(stream, labels, kText);
    passList(stream, metadata, [](auto &to, auto &pair) {
        to.text(pair.first);
        to.text(pair.second);
    });
};

/// A program without its operations.
template <class Stream, class T>
void passFrame(Stream &stream, T &program, std::vector<std::size_t> &counts)
{
    auto &[version, attributes, functions, models, descriptions] = program;
    stream.text(version);
    passList(stream, attributes, kArgument);
    passSize(stream, functions);
    for (auto &function : functions)
        passFunction(stream, function, counts);
    passList(stream, models, kModel);
    passList(stream, descriptions, kDescription);
}

} // namespace kernscope::mil
