// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/stored_element.h"

#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/bundle/stored_values.h"

#include <span>

namespace kernscope {

namespace {

void readCode(const codec::Decoder &decoder, std::uint64_t element, StoredElement &read)
{
    const codec::Encoding &encoding = decoder.encoding();
    if (!encoding.palette && !encoding.scaling)
        return;
    std::int64_t code = 0;
    decoder.codes(element, std::span(&code, 1));
    if (code == codec::Decoder::kNotStored)
        return;
    // Of numbers that are scaled the code is nothing but their bits.
    const ElementType stored = sourceType(encoding.payload);
    if (encoding.palette || !isFloatingPoint(stored))
        read.code = code;
    if (!encoding.palette || code < 0)
        return;
    const auto place = decoder.codebookOf(element);
    read.codebook = place.codebook;
    const std::uint64_t entries = encoding.palette->entries, vector = encoding.palette->vector;
    const auto values = decoder.codebookValues();
    const std::uint64_t at =
        (place.codebook * entries + static_cast<std::uint64_t>(code)) * vector + place.lane;
    if (static_cast<std::uint64_t>(code) < entries && at < values.size())
        read.entry = static_cast<double>(values[static_cast<std::size_t>(at)]);
}

} // namespace

StoredElement readStoredElement(const Bundle &bundle, std::size_t weight,
                                const codec::Decoder &decoder, std::uint64_t element)
{
    StoredElement read;
    decodeDoubles(decoder, element, std::span(&read.value, 1));
    read.stored = decoder.stored(element);
    readCode(decoder, element, read);
    read.place = placeOfElement(bundle, weight, element);
    if (!read.place || read.place->file >= bundle.files().size())
        return read;
    const auto file = bundle.files()[read.place->file].file->bytes();
    if (fitsInside(read.place->bytes, ByteCount(file.size()))) {
        const auto bytes =
            file.subspan(read.place->bytes.offset.value, read.place->bytes.bytes.value);
        read.bytes.assign(bytes.begin(), bytes.end());
    }
    return read;
}

} // namespace kernscope
