// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/weight_fingerprint.h"

#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"

#include <algorithm>
#include <span>

namespace kernscope {

namespace {

/// Changes closer than this are taken as one: a fill makes very many.
constexpr std::uint64_t kChangeGap = 64;

/// FNV-1a, fed piece by piece.
class Fingerprint
{
public:
    void add(std::uint64_t number)
    {
        for (int shift = 0; shift < 64; shift += 8)
            addByte(static_cast<std::uint8_t>(number >> shift));
    }
    void add(std::span<const std::byte> bytes)
    {
        add(bytes.size());
        for (const std::byte byte : bytes)
            addByte(static_cast<std::uint8_t>(byte));
    }
    std::uint64_t value() const { return m_value; }

private:
    void addByte(std::uint8_t byte) { m_value = (m_value ^ byte) * 0x100000001B3u; }

    std::uint64_t m_value = 0xCBF29CE484222325u;
};

void addEdits(Fingerprint &print, const OverlaidFile &file, const std::vector<ByteRange> &changes,
              const ByteRange &part)
{
    auto change = std::lower_bound(
        changes.begin(), changes.end(), part.offset.value,
        [](const ByteRange &range, std::uint64_t offset) { return range.end() <= offset; });
    for (; change != changes.end() && change->offset.value < part.end(); ++change) {
        const std::uint64_t first = std::max(change->offset.value, part.offset.value);
        const std::uint64_t end = std::min(change->end(), part.end());
        print.add(first);
        print.add(file.bytes().subspan(first, end - first));
    }
}

} // namespace

std::vector<std::uint64_t> weightFingerprints(const Bundle &bundle)
{
    std::vector<std::vector<ByteRange>> changes;
    for (const BundleFile &file : bundle.files())
        changes.push_back(file.file->changedRanges(kChangeGap));
    std::vector<std::uint64_t> prints;
    prints.reserve(bundle.weights().size());
    for (const Weight &weight : bundle.weights()) {
        Fingerprint print;
        print.add(weight.elements.value);
        for (const codec::Operand &operand : weight.operands()) {
            const OperandPlace &place = *operand.place;
            if (place.isLiteral()) {
                print.add(bundle.operandBytes(operand));
                continue;
            }
            const OverlaidFile &file = *bundle.files()[place.file].file;
            print.add(reinterpret_cast<std::uintptr_t>(&file));
            print.add(place.dataOffset.value);
            print.add(place.bytes.value);
            if (fitsInside(place.range(), file.size()))
                addEdits(print, file, changes[place.file], place.range());
        }
        prints.push_back(print.value());
    }
    return prints;
}

} // namespace kernscope
