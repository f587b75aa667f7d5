// SPDX-License-Identifier: GPL-3.0-or-later
// The codes of a run in their bytes: read, changed and written back.
#include "core/codec/edit/run_editor_state.h"
#include "core/numeric/bitpack.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace kernscope::codec {

namespace {

/// Lays the low `width` bits of a code over bytes; `highestFirst` as ElementOrder has it. Codes of
/// whole bytes are little-endian at whole bytes.
void putBits(std::span<std::byte> bytes, std::uint64_t position, unsigned width, std::int64_t code,
             bool highestFirst)
{
    if (width >= 8) {
        for (unsigned i = 0; i < width / 8; ++i)
            bytes[position / 8 + i] =
                static_cast<std::byte>(static_cast<std::uint64_t>(code) >> (8 * i) & 0xffu);
        return;
    }
    for (unsigned bit = 0; bit < width; ++bit) {
        const std::uint64_t at = position + bit;
        const auto place = static_cast<unsigned>(highestFirst ? 7 - at % 8 : at % 8);
        const unsigned from = highestFirst ? width - 1 - bit : bit;
        const auto one = static_cast<std::byte>(1u << place);
        const bool set = (static_cast<std::uint64_t>(code) >> from & 1u) != 0;
        bytes[at / 8] = set ? bytes[at / 8] | one : bytes[at / 8] & ~one;
    }
}

} // namespace

/// The bytes of codes [from, to), and some of the same bytes before them.
void RunEditor::State::load(std::uint64_t from, std::uint64_t to)
{
    // Whole bytes, and for sub-byte codes a start at which a code begins.
    const std::uint64_t step = width >= 8 ? 1 : 8;
    firstCode = from / step * step;
    firstByte = firstCode * width / 8;
    enteredEnd = 0;
    const std::uint64_t endByte = (to * width + 7) / 8;
    const auto bytes = state.payload.bytes.subspan(firstByte, endByte - firstByte);
    packed.assign(bytes.begin(), bytes.end());
    narrow.resize(width >= 8 ? 0 : to - firstCode);
    if (width < 8)
        unpackCodes(packed, width, 0, narrow);
}

void RunEditor::State::loadOrdered(std::uint64_t first, std::size_t count)
{
    firstCode = 0;
    enteredEnd = 0;
    orderedCodes.clear();
    positions.resize(count);
    state.payload.order->positions(first, positions);
}

/// `index`: of the code among those that were loaded.
void RunEditor::State::store(std::uint64_t index, std::uint64_t element, std::int64_t code)
{
    if (ordered()) {
        orderedCodes.push_back({positions[index], code});
        for (const std::uint64_t copy : state.payload.order->copies(element))
            orderedCodes.push_back({copy, code});
        return;
    }
    if (width < 8)
        narrow[index] = static_cast<std::uint8_t>(code & ((1 << width) - 1));
    else if (width == 8)
        packed[index] = static_cast<std::byte>(code & 0xff);
    else
        std::memcpy(packed.data() + index * (width / 8), &code, width / 8);
}

std::vector<PartEdit> RunEditor::State::takeBytes()
{
    if (ordered())
        return takeOrdered();
    if (width < 8)
        packCodes(narrow, width, 0, packed);
    std::vector<PartEdit> edits;
    edits.push_back({state.payload.role, firstByte, std::move(packed)}); // load() fills it anew
    return edits;
}

/// Codes that touch, in one range; the bytes around codes that do not fill theirs are kept.
std::vector<PartEdit> RunEditor::State::takeOrdered()
{
    std::sort(orderedCodes.begin(), orderedCodes.end(),
              [](const OrderedCode &a, const OrderedCode &b) { return a.position < b.position; });
    const bool highestFirst = state.payload.order->highestFirst();
    std::vector<PartEdit> edits;
    for (const auto &[position, code] : orderedCodes) {
        const std::uint64_t first = position / 8, end = (position + width + 7) / 8;
        if (edits.empty() || edits.back().offset + edits.back().bytes.size() < first)
            edits.push_back({state.payload.role, first, {}});
        PartEdit &edit = edits.back();
        const std::uint64_t held = edit.offset + edit.bytes.size();
        if (held < end) {
            const auto more = state.payload.bytes.subspan(held, end - held);
            edit.bytes.insert(edit.bytes.end(), more.begin(), more.end());
        }
        putBits(edit.bytes, position - 8 * edit.offset, width, code, highestFirst);
    }
    return edits;
}

} // namespace kernscope::codec
