// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/hwx/reader.h"

#include <algorithm>
#include <charconv>

namespace kernscope::hwx {

namespace {

bool takeText(std::string_view &text, std::string_view what)
{
    if (!text.starts_with(what))
        return false;
    text.remove_prefix(what.size());
    return true;
}

template <class T>
bool takeNumber(std::string_view &text, T &number)
{
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (fault != std::errc())
        return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return true;
}

/// "name:t<id>=": the name ends where such a mark follows it.
bool takeHead(std::string_view &text, std::string &name, std::uint32_t &id)
{
    for (std::size_t at = text.find(":t"); at != std::string_view::npos;
         at = text.find(":t", at + 1)) {
        std::string_view rest = text.substr(at + 2);
        if (takeNumber(rest, id) && takeText(rest, "=")) {
            name = text.substr(0, at);
            text = rest;
            return true;
        }
    }
    return false;
}

/// "ar1;0;<count>;<id>=s<stride><axis>:"
bool takeAxis(std::string_view &text, FrameAxis &axis)
{
    std::uint64_t id = 0;
    if (!takeText(text, "ar1;0;") || !takeNumber(text, axis.count) || !takeText(text, ";") ||
        !takeNumber(text, id) || !takeText(text, "=s") || !takeNumber(text, axis.byteStride))
        return false;
    const auto end = text.find(':');
    if (end == std::string_view::npos || end == 0)
        return false;
    axis.axis = text.substr(0, end);
    text.remove_prefix(end + 1);
    return true;
}

} // namespace

bool readTypeEntry(std::string_view name, TypeEntry &entry)
{
    if (!takeHead(name, entry.name, entry.id))
        return false;
    entry.range = name;
    return true;
}

bool readTensorFrame(std::string_view name, TensorFrame &frame)
{
    std::uint32_t id = 0;
    if (!takeHead(name, frame.name, id) || !name.starts_with("ar1;"))
        return false;
    frame.type = std::to_string(id);
    while (name.starts_with("ar1;")) {
        FrameAxis axis;
        if (!takeAxis(name, axis))
            return false;
        frame.axes.push_back(std::move(axis));
    }
    return takeNumber(name, frame.elementType);
}

} // namespace kernscope::hwx
