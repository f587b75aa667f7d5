// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/byte_alignment.h"

#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/bundle/element_place.h"
#include "core/compare/text_alignment.h"
#include "core/numeric/bitpack.h"

#include <numeric>
#include <tuple>

namespace kernscope {

namespace {

/// The values of a weight as a section stores them.
struct StoredValues {
    std::uint64_t bytes = 0; ///< of one
    bool kept = false;       ///< those that a mask keeps
};

/// Nothing for a section of anything else, values in an order of their own, and parts of bytes.
std::optional<StoredValues> storedValues(const Bundle &bundle, std::size_t index)
{
    const Section &section = bundle.sections()[index];
    if (section.weight >= bundle.weights().size() || section.kind == SectionKind::Metadata ||
        section.kind == SectionKind::Padding)
        return std::nullopt;
    const Weight &weight = bundle.weights()[section.weight];
    if (!weight.form.encoding() || section.operand >= weight.operands().size() || weight.fault)
        return std::nullopt;
    const codec::Encoding &encoding = *weight.form.encoding();
    const codec::Operand &operand = weight.operands()[section.operand];
    const auto *payload = std::get_if<codec::Operand>(&encoding.payload);
    const std::uint64_t bits = entryBits(encoding, operand);
    if (payload != &operand || operand.order || bits == 0 || bits % 8 != 0 ||
        (encoding.palette && encoding.palette->vector != 1))
        return std::nullopt;
    const StoredValues values{bits / 8, encoding.mask.has_value()};
    const auto entries = elementCount(operand.shape);
    if (!values.kept && (!entries || *entries != weight.elements))
        return std::nullopt;
    if (values.kept && (encoding.mask->order || encoding.mask->place == nullptr))
        return std::nullopt;
    return values;
}

constexpr std::uint64_t kStep = 4096;     ///< bits between two numbers that are kept
constexpr std::uint64_t kTold = 1U << 20; ///< and between two looks at the progress; whole steps

/// Of fewer elements a mask is read in less time than a row is painted in, and most are never
/// looked at.
constexpr std::uint64_t kLargeMask = std::uint64_t{1} << 22;

std::string_view textOf(const BundleFile &file)
{
    const auto bytes = file.file->bytes();
    return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

/// Pair of a section that the other side cannot have.
constexpr std::size_t kNoPartner = kNoIndex - 1;

/// What a section is recognised by: the pair of weights it belongs to, its role there and the
/// engine core that loads it; of what belongs to no pair, the last section that does, its own kind
/// and how many of that came since.
struct SectionKey {
    std::size_t pair = kNoIndex;
    int role = 0;
    std::uint64_t lane = 0, plane = 0, copy = 0; ///< of a hardware container's weight
    SectionKind kind = SectionKind::Unknown;
    std::size_t ordinal = 0;                      ///< among those that are alike in all else
    SectionKind strayKind = SectionKind::Unknown; ///< of a section that belongs to no pair
    std::size_t since = 0; ///< which of that kind it is since the last one that does; 0: it does

    friend bool operator<(const SectionKey &a, const SectionKey &b)
    {
        const auto all = [](const SectionKey &key) {
            return std::tie(key.pair, key.role, key.lane, key.plane, key.copy, key.kind,
                            key.ordinal, key.strayKind, key.since);
        };
        return all(a) < all(b);
    }
};

/// The lane pieces of a weight by their place in the file.
class PiecesByPlace
{
public:
    explicit PiecesByPlace(const Weight &weight)
    {
        for (const LanePiece &piece : weight.lanePieces)
            m_pieces.push_back(&piece);
        std::ranges::sort(m_pieces, [](const LanePiece *x, const LanePiece *y) {
            return x->bytes.offset < y->bytes.offset;
        });
    }
    /// The last piece that begins at `offset` or before it: padding counts as that of the piece
    /// before. Null where there is none.
    const LanePiece *at(FileOffset offset) const
    {
        const auto after = std::upper_bound(
            m_pieces.begin(), m_pieces.end(), offset,
            [](FileOffset value, const LanePiece *piece) { return value < piece->bytes.offset; });
        return after == m_pieces.begin() ? nullptr : *std::prev(after);
    }

private:
    std::vector<const LanePiece *> m_pieces;
};

/// Whose a section is.
enum class Owner : std::uint8_t {
    Pair,  ///< a part of a weight that both sides have
    Alone, ///< a part of a weight that the other side lacks
    Place, ///< of no weight: recognised by where it stands
};

/// Role in a key of what stores the elements themselves, in whatever form.
constexpr int kElements = -2;

/// Gives the sections of one side their keys. `pairOf`: pair of each weight, kNoIndex for none.
/// Where weights are named by their offsets only (`byPlace`), one without a partner is recognised
/// by where it stands.
class SectionKeys
{
public:
    SectionKeys(const Bundle &bundle, const std::vector<std::size_t> &pairOf, bool byPlace)
        : m_bundle(bundle), m_pairOf(pairOf), m_byPlace(byPlace)
    {
    }

    /// Of the sections [first, end).
    std::vector<SectionKey> keys(std::size_t first, std::size_t end)
    {
        std::vector<SectionKey> keys;
        for (std::size_t i = first; i < end; ++i)
            keys.push_back(keyOf(i));
        return keys;
    }

private:
    Owner ownerOf(const Section &section) const
    {
        if (section.weight == kNoIndex)
            return Owner::Place;
        if (m_pairOf[section.weight] != kNoIndex)
            return Owner::Pair;
        return m_byPlace ? Owner::Place : Owner::Alone;
    }

    SectionKey keyOf(std::size_t index)
    {
        const Section &section = m_bundle.sections()[index];
        SectionKey key;
        switch (ownerOf(section)) {
        case Owner::Alone:
            key.pair = kNoPartner;
            key.ordinal = index + 1;
            return key;
        case Owner::Pair:
            key = keyOfPart(section);
            key.ordinal = m_alike[key]++;
            m_last = key;
            m_since.clear();
            return key;
        case Owner::Place: break;
        }
        key = m_last;
        key.strayKind = section.kind;
        key.since = ++m_since[section.kind];
        return key;
    }

    SectionKey keyOfPart(const Section &section)
    {
        const Weight &weight = m_bundle.weights()[section.weight];
        SectionKey key;
        key.pair = m_pairOf[section.weight];
        key.role = -1;
        if (section.operand < weight.operands().size()) {
            const codec::Operand &operand = weight.operands()[section.operand];
            key.role =
                diff::storesElements(weight, operand) ? kElements : static_cast<int>(operand.role);
        }
        // A part is one thing whatever it is stored as; its record and its padding are others.
        key.kind = section.kind == SectionKind::Metadata || section.kind == SectionKind::Padding
                       ? section.kind
                       : SectionKind::Data;
        if (weight.lanePieces.empty())
            return key;
        auto at = m_pieces.find(section.weight);
        if (at == m_pieces.end())
            at = m_pieces.emplace(section.weight, PiecesByPlace(weight)).first;
        if (const LanePiece *piece = at->second.at(section.range.offset)) {
            key.lane = piece->lane;
            key.plane = piece->plane;
            key.copy = piece->copy;
        }
        return key;
    }

    const Bundle &m_bundle;
    const std::vector<std::size_t> &m_pairOf;
    bool m_byPlace;
    SectionKey m_last;
    std::map<SectionKind, std::size_t> m_since; ///< sections of a kind since m_last
    std::map<SectionKey, std::size_t> m_alike;  ///< how many came with the same key
    std::map<std::size_t, PiecesByPlace> m_pieces;
};

} // namespace

KeptPlaces::KeptPlaces(BundlePtr bundle, std::size_t weight)
    : m_bundle(std::move(bundle)), m_weight(weight),
      m_elements(m_bundle->weights()[weight].elements.value)
{
}

/// Of a damaged file it may have fewer bits than there are elements: those are left out.
std::span<const std::byte> KeptPlaces::mask() const
{
    return m_bundle->operandBytes(*m_bundle->weights()[m_weight].form.encoding()->mask);
}

bool KeptPlaces::count(Progress &progress) const
{
    const std::lock_guard lock(m_mutex);
    if (counted())
        return true;
    const auto bytes = mask();
    const std::uint64_t bits = std::min<std::uint64_t>(m_elements, 8 * bytes.size());
    std::vector<std::uint64_t> before;
    before.reserve(m_elements / kStep + 1);
    std::uint64_t total = 0;
    for (std::uint64_t at = 0; at < m_elements; at += kStep) {
        if (at % kTold == 0 && !progress.advance(std::min(kTold, m_elements - at)))
            return false;
        before.push_back(total);
        if (at < bits)
            total += countBits(bytes, at, std::min(kStep, bits - at));
    }
    before.push_back(total); // where the last step is a whole one
    m_before = std::move(before);
    m_counted.store(true, std::memory_order_release);
    return true;
}

std::uint64_t KeptPlaces::keptBefore(std::uint64_t element) const
{
    if (!counted()) {
        Progress alone; // never cancelled
        count(alone);
    }
    const auto bytes = mask();
    const std::uint64_t end = std::min({element, m_elements, std::uint64_t{8} * bytes.size()});
    const std::uint64_t start = end / kStep * kStep;
    return m_before[end / kStep] + countBits(bytes, start, end - start);
}

std::uint64_t KeptPlaces::elementOf(std::uint64_t kept) const
{
    // The first element with more than `kept` values up to and with it.
    std::uint64_t low = 0, high = elements();
    while (low < high) {
        const std::uint64_t middle = low + (high - low) / 2;
        if (keptBefore(middle + 1) > kept)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

bool countLargeMasks(const KeptSides &sides, Progress &progress)
{
    std::vector<const KeptPlaces *> large;
    std::uint64_t total = 0;
    for (const auto &[segment, side] : sides) {
        if (side.places->elements() < kLargeMask)
            continue;
        large.push_back(side.places.get());
        total += side.places->elements(); // which the tables of a bundle bound
    }
    progress.setTotal(total);
    return std::ranges::all_of(large,
                               [&](const KeptPlaces *places) { return places->count(progress); });
}

KeptSides findKeptSides(const BundlePtr &a, const BundlePtr &b, const ByteAlignment &alignment)
{
    KeptSides found;
    for (const AlignedSection &section : alignment.sections()) {
        if (section.a == kNoIndex || section.b == kNoIndex || section.segments != 1)
            continue;
        const auto ofA = storedValues(*a, section.a), ofB = storedValues(*b, section.b);
        if (!ofA || !ofB || ofA->kept == ofB->kept)
            continue;
        const std::size_t weightA = a->sections()[section.a].weight;
        const std::size_t weightB = b->sections()[section.b].weight;
        if (alignment.partner(true, weightA) != weightB ||
            a->weights()[weightA].elements != b->weights()[weightB].elements)
            continue;
        found[section.firstSegment] = {ofA->kept, ofA->bytes, ofB->bytes,
                                       ofA->kept ? std::make_shared<const KeptPlaces>(a, weightA)
                                                 : std::make_shared<const KeptPlaces>(b, weightB)};
    }
    return found;
}

class ByteAligner
{
public:
    ByteAligner(const Bundle &a, const Bundle &b, std::span<const ComparedPair> pairs,
                ByteAlignment &result)
        : m_a(a), m_b(b), m_result(result), m_pairOfA(a.weights().size(), kNoIndex),
          m_pairOfB(b.weights().size(), kNoIndex)
    {
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            m_pairOfA[pairs[i].a] = i;
            m_pairOfB[pairs[i].b] = i;
        }
    }

    void run()
    {
        for (const diff::FilePair &pair : diff::pairFiles(m_a, m_b))
            addFile(pair.a, pair.b);
    }

private:
    void addFile(std::size_t a, std::size_t b)
    {
        AlignedFile file;
        file.a = a;
        file.b = b;
        if (a != kNoIndex)
            file.pathA = m_a.files()[a].path;
        if (b != kNoIndex)
            file.pathB = m_b.files()[b].path;
        file.firstSection = m_result.m_sections.size();
        m_result.m_files.push_back(std::move(file));
        if (a == kNoIndex || b == kNoIndex || !addText(a, b))
            alignSections(a, b);
        m_result.m_files.back().sections =
            m_result.m_sections.size() - m_result.m_files.back().firstSection;
    }

    /// Sections that both have stand where A has them, with what only B has before them.
    void alignSections(std::size_t a, std::size_t b)
    {
        using Range = std::pair<std::size_t, std::size_t>;
        const Range sectionsA = a == kNoIndex ? Range{0, 0} : m_a.sectionsOf(a);
        const Range sectionsB = b == kNoIndex ? Range{0, 0} : m_b.sectionsOf(b);
        const bool byPlace = m_a.kind() == BundleKind::MilBlob || m_b.kind() == BundleKind::MilBlob;
        const auto keysA =
            SectionKeys(m_a, m_pairOfA, byPlace).keys(sectionsA.first, sectionsA.second);
        const auto keysB =
            SectionKeys(m_b, m_pairOfB, byPlace).keys(sectionsB.first, sectionsB.second);
        std::map<SectionKey, std::size_t> byKeyB;
        for (std::size_t i = 0; i < keysB.size(); ++i) {
            if (keysB[i].pair != kNoPartner)
                byKeyB.emplace(keysB[i], i);
        }
        std::vector<std::size_t> partner(keysA.size(), kNoIndex);
        std::vector<bool> matched(keysB.size(), false);
        for (std::size_t i = 0; i < keysA.size(); ++i) {
            const auto at = byKeyB.find(keysA[i]);
            if (at != byKeyB.end() && !matched[at->second]) {
                partner[i] = at->second;
                matched[at->second] = true;
            }
        }
        std::size_t nextB = 0;
        const auto onlyB = [&](std::size_t end) {
            for (; nextB < end; ++nextB) {
                if (!matched[nextB])
                    addSection(kNoIndex, sectionsB.first + nextB);
            }
        };
        for (std::size_t i = 0; i < keysA.size(); ++i) {
            if (partner[i] != kNoIndex)
                onlyB(partner[i]);
            addSection(sectionsA.first + i,
                       partner[i] == kNoIndex ? kNoIndex : sectionsB.first + partner[i]);
        }
        onlyB(keysB.size());
    }

    /// Programs and descriptions in text, line by line. False where they are something else.
    bool addText(std::size_t a, std::size_t b)
    {
        const auto sectionsA = m_a.sectionsOf(a), sectionsB = m_b.sectionsOf(b);
        const BundleFile &fileA = m_a.files()[a], &fileB = m_b.files()[b];
        if (sectionsA.second - sectionsA.first != 1 || sectionsB.second - sectionsB.first != 1)
            return false;
        // Stored numbers may happen to be letters.
        const auto numbers = [](const Bundle &bundle, const BundleFile &file, std::size_t section) {
            return file.role == SectionKind::Data || bundle.sections()[section].weight != kNoIndex;
        };
        if (numbers(m_a, fileA, sectionsA.first) || numbers(m_b, fileB, sectionsB.first) ||
            !looksLikeText(textOf(fileA)) || !looksLikeText(textOf(fileB)))
            return false;
        const auto pieces = alignTexts(textOf(fileA), textOf(fileB));
        if (!pieces)
            return false;
        openSection(sectionsA.first, sectionsB.first);
        for (const TextPiece &piece : *pieces) {
            AlignedSegment segment;
            segment.firstA = piece.firstA;
            segment.lengthA = piece.lengthA;
            segment.firstB = piece.firstB;
            segment.lengthB = piece.lengthB;
            segment.text = true;
            segment.prefix = piece.equal ? piece.lengthA : piece.prefix;
            segment.suffix = piece.suffix;
            addSegment(segment);
        }
        return true;
    }

    void addSection(std::size_t a, std::size_t b)
    {
        openSection(a, b);
        const AlignedSection &section = m_result.m_sections.back();
        AlignedSegment segment;
        segment.firstA = section.rangeA.offset.value;
        segment.lengthA = section.rangeA.bytes.value;
        segment.firstB = section.rangeB.offset.value;
        segment.lengthB = section.rangeB.bytes.value;
        if (a != kNoIndex && b != kNoIndex)
            diff::setWidths(m_a, a, m_b, b, segment);
        addSegment(segment);
    }

    void addSegment(AlignedSegment segment)
    {
        segment.section = static_cast<std::uint32_t>(m_result.m_sections.size() - 1);
        m_result.m_segments.push_back(segment);
        ++m_result.m_sections.back().segments;
    }

    void openSection(std::size_t a, std::size_t b)
    {
        AlignedSection section;
        section.a = a;
        section.b = b;
        if (a != kNoIndex)
            section.rangeA = m_a.sections()[a].range;
        if (b != kNoIndex)
            section.rangeB = m_b.sections()[b].range;
        const Bundle &owner = a != kNoIndex ? m_a : m_b;
        const Section &named = owner.sections()[a != kNoIndex ? a : b];
        section.name = owner.nameOf(named);
        section.kind = named.kind;
        section.file = static_cast<std::uint32_t>(m_result.m_files.size() - 1);
        section.firstSegment = m_result.m_segments.size();
        m_result.m_sections.push_back(std::move(section));
    }

    const Bundle &m_a;
    const Bundle &m_b;
    ByteAlignment &m_result;
    std::vector<std::size_t> m_pairOfA, m_pairOfB;
};

ByteAlignment::ByteAlignment(const Bundle &a, const Bundle &b, std::span<const ComparedPair> pairs)
{
    m_partnersOfA.assign(a.weights().size(), kNoIndex);
    m_partnersOfB.assign(b.weights().size(), kNoIndex);
    const auto whole = wholePairs(pairs);
    for (const ComparedPair &pair : whole) {
        m_partnersOfA[pair.a] = pair.b;
        m_partnersOfB[pair.b] = pair.a;
    }
    m_sliced.assign(pairs.begin() + static_cast<std::ptrdiff_t>(whole.size()), pairs.end());
    ByteAligner(a, b, whole, *this).run();
}

ByteAlignment::Place ByteAlignment::placeOf(bool ofA, std::size_t file, std::uint64_t offset) const
{
    for (const AlignedFile &aligned : m_files) {
        if ((ofA ? aligned.a : aligned.b) != file)
            continue;
        for (std::size_t s = aligned.firstSection; s < aligned.firstSection + aligned.sections;
             ++s) {
            const AlignedSection &section = m_sections[s];
            if (!(ofA ? section.rangeA : section.rangeB).contains(FileOffset(offset)))
                continue;
            for (std::size_t i = section.firstSegment; i < section.firstSegment + section.segments;
                 ++i) {
                const AlignedSegment &segment = m_segments[i];
                const std::uint64_t first = ofA ? segment.firstA : segment.firstB;
                const std::uint64_t length = ofA ? segment.lengthA : segment.lengthB;
                if (offset >= first && offset - first < length)
                    return {i, offset - first};
            }
        }
    }
    return {};
}

} // namespace kernscope

namespace kernscope::diff {

namespace {

class FilePairer
{
public:
    FilePairer(const Bundle &a, const Bundle &b)
        : m_a(a), m_b(b), m_ofA(a.files().size(), kNoIndex), m_ofB(b.files().size(), kNoIndex)
    {
    }

    std::vector<FilePair> pairs()
    {
        match([](const BundleFile &x, const BundleFile &y) { return x.path == y.path; });
        match([](const BundleFile &x, const BundleFile &y) {
            return x.role == y.role && lastComponent(x.path) == lastComponent(y.path);
        });
        for (const SectionKind role : {SectionKind::Data, SectionKind::Program})
            matchOnlyOnes(role);
        // Two sections or two checkpoints are one file each: they pair whatever their names are.
        if (m_ofA.size() == 1 && m_ofB.size() == 1 && m_a.kind() == m_b.kind() &&
            m_ofA.front() == kNoIndex)
            join(0, 0);
        std::vector<FilePair> result;
        for (std::size_t i = 0; i < m_ofA.size(); ++i)
            result.push_back({i, m_ofA[i]});
        for (std::size_t i = 0; i < m_ofB.size(); ++i) {
            if (m_ofB[i] == kNoIndex)
                result.push_back({kNoIndex, i});
        }
        return result;
    }

private:
    template <class Same>
    void match(const Same &same)
    {
        for (std::size_t i = 0; i < m_ofA.size(); ++i) {
            for (std::size_t j = 0; j < m_ofB.size() && m_ofA[i] == kNoIndex; ++j) {
                if (m_ofB[j] == kNoIndex && same(m_a.files()[i], m_b.files()[j]))
                    join(i, j);
            }
        }
    }
    void matchOnlyOnes(SectionKind role)
    {
        const auto only = [role](const Bundle &bundle, const std::vector<std::size_t> &partner) {
            std::size_t found = kNoIndex, count = 0;
            for (std::size_t i = 0; i < partner.size(); ++i) {
                if (partner[i] == kNoIndex && bundle.files()[i].role == role) {
                    found = i;
                    ++count;
                }
            }
            return count == 1 ? found : kNoIndex;
        };
        const std::size_t a = only(m_a, m_ofA), b = only(m_b, m_ofB);
        if (a != kNoIndex && b != kNoIndex)
            join(a, b);
    }
    void join(std::size_t a, std::size_t b)
    {
        m_ofA[a] = b;
        m_ofB[b] = a;
    }

    const Bundle &m_a;
    const Bundle &m_b;
    std::vector<std::size_t> m_ofA, m_ofB;
};

/// The operand that a section holds the bytes of, with its encoding; null for a record, padding and
/// what belongs to no weight.
struct StoredPart {
    const codec::Encoding *encoding = nullptr;
    const codec::Operand *operand = nullptr;
};

StoredPart partOf(const Bundle &bundle, std::size_t index)
{
    const Section &section = bundle.sections()[index];
    if (section.weight >= bundle.weights().size() || section.kind == SectionKind::Metadata ||
        section.kind == SectionKind::Padding)
        return {};
    const Weight &weight = bundle.weights()[section.weight];
    if (!weight.form.encoding() || section.operand >= weight.operands().size())
        return {};
    return {weight.form.encoding().get(), &weight.operands()[section.operand]};
}

} // namespace

std::vector<FilePair> pairFiles(const Bundle &a, const Bundle &b)
{
    return FilePairer(a, b).pairs();
}

bool storesElements(const Weight &weight, const codec::Operand &operand)
{
    const auto &encoding = weight.form.encoding();
    return encoding && codec::storedOperand(storingEncoding(*encoding).payload) == &operand;
}

void setWidths(const Bundle &a, std::size_t sectionA, const Bundle &b, std::size_t sectionB,
               AlignedSegment &segment)
{
    const StoredPart partA = partOf(a, sectionA), partB = partOf(b, sectionB);
    if (!partA.operand || !partB.operand)
        return;
    const std::uint64_t widthA = entryBits(*partA.encoding, *partA.operand);
    const std::uint64_t widthB = entryBits(*partB.encoding, *partB.operand);
    const bool kept = partA.operand->role == codec::PartRole::NonzeroData;
    const bool sameRole = kept == (partB.operand->role == codec::PartRole::NonzeroData);
    if (widthA == 0 || widthB == 0 || (widthA == widthB && sameRole))
        return;
    segment.otherwise = true;
    if (!sameRole)
        return; // kept values are fewer: they do not lie in the rows of all values
    const auto entriesA = elementCount(partA.operand->shape),
               entriesB = elementCount(partB.operand->shape);
    if (partA.operand->order || partB.operand->order || !entriesA || !entriesB ||
        *entriesA != *entriesB)
        return;
    const std::uint64_t common = std::gcd(widthA, widthB);
    segment.unitA = static_cast<std::uint32_t>(widthA / common);
    segment.unitB = static_cast<std::uint32_t>(widthB / common);
}

} // namespace kernscope::diff
