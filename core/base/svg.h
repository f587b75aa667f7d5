// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

/// Elements of SVG drawings as text. Values and contents are markup: a text of a file is escaped
/// before.
namespace kernscope::svg {

/// An attribute. Lengths have one decimal; one whose value is an empty text is left out.
struct Attribute {
    Attribute(std::string_view given, std::string_view text) : name(given), value(text) {}
    Attribute(std::string_view given, const char *text) : name(given), value(text) {}
    Attribute(std::string_view given, std::string text) : name(given), value(std::move(text)) {}
    Attribute(std::string_view given, int number);
    Attribute(std::string_view given, double length);

    std::string_view name;
    std::string value;
};
using Attributes = std::initializer_list<Attribute>;

/// <line x1="0.0"/>
std::string element(std::string_view name, Attributes attributes);
/// <text x="0.0">content</text>
std::string element(std::string_view name, Attributes attributes, std::string_view content);

/// Text of a file in XML 1.0.
std::string escaped(std::string_view text);

} // namespace kernscope::svg
