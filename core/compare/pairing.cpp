// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/text.h"
#include "core/bundle/bundle.h"
#include "core/bundle/stored_bytes.h"
#include "core/compare/content_match.h"
#include "core/compare/text_alignment.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope {

namespace {

/// Weights of one side by a text that both sides can have, in order.
using Groups = std::map<std::string, std::vector<std::size_t>>;

std::string consumerKey(const Weight &weight, const Consumer &consumer)
{
    return fmt::format("{}/{}\n{}\n{}\n{}", weight.model, weight.function, consumer.op,
                       consumer.name, consumer.param);
}

Groups consumersOf(const Bundle &bundle)
{
    Groups groups;
    for (std::size_t i = 0; i < bundle.weights().size(); ++i) {
        for (const Consumer &consumer : bundle.weights()[i].consumers)
            groups[consumerKey(bundle.weights()[i], consumer)].push_back(i);
    }
    return groups;
}

/// The same elements in the same order: extents of one do not count.
bool comparableShapes(Shape a, Shape b)
{
    a.erase(std::remove(a.begin(), a.end(), 1u), a.end());
    b.erase(std::remove(b.begin(), b.end(), 1u), b.end());
    return a == b;
}

bool sameLayoutButShape(const Weight &a, const Weight &b)
{
    const auto sameOperand = [](const codec::Operand &x, const codec::Operand &y) {
        return x.role == y.role && x.declaredType() == y.declaredType() &&
               x.place->bytes == y.place->bytes;
    };
    const OperandList &x = a.operands(), &y = b.operands();
    return a.form == b.form && a.type == b.type && std::ranges::equal(x, y, sameOperand);
}

/// Where a weight begins.
struct StoredPlace {
    std::string file;
    std::uint64_t offset = 0;
};

/// Of every weight the first section that is its own; none for those that the program writes as
/// literals.
std::vector<std::optional<StoredPlace>> storedPlacesOf(const Bundle &bundle)
{
    std::vector<std::optional<StoredPlace>> places(bundle.weights().size());
    for (const Section &section : bundle.sections()) {
        if (section.weight < places.size() && !places[section.weight] &&
            !bundle.isProgramFile(section.file))
            places[section.weight] =
                StoredPlace{bundle.files()[section.file].path, section.range.offset.value};
    }
    return places;
}

bool hasFile(const Bundle &bundle, const std::string &path)
{
    return bundle.fileByPath(path).has_value();
}

/// Sets ComparedPair::moved: of weights in other models, functions or files (where both sides have
/// those), and of those that come after other weights than in A: the fewest whose places explain
/// the order of the rest.
void markMoved(const Bundle &a, const Bundle &b, std::span<ComparedPair> pairs)
{
    const auto inA = storedPlacesOf(a), inB = storedPlacesOf(b);
    std::map<std::string, std::vector<std::size_t>> byFile;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const Weight &from = a.weights()[pairs[i].a], &to = b.weights()[pairs[i].b];
        pairs[i].moved = from.model != to.model || from.function != to.function;
        const auto &placeA = inA[pairs[i].a], &placeB = inB[pairs[i].b];
        if (!placeA || !placeB)
            continue;
        if (placeA->file == placeB->file)
            byFile[placeA->file].push_back(i);
        else if (hasFile(b, placeA->file) && hasFile(a, placeB->file))
            pairs[i].moved = true;
    }
    for (auto &[file, indices] : byFile) {
        std::ranges::sort(indices, [&](std::size_t x, std::size_t y) {
            return inA[pairs[x].a]->offset < inA[pairs[y].a]->offset;
        });
        std::vector<std::uint64_t> offsets;
        for (const std::size_t i : indices)
            offsets.push_back(inB[pairs[i].b]->offset);
        std::vector<bool> inOrder(indices.size(), false);
        for (const std::size_t i : longestAscending(offsets))
            inOrder[i] = true;
        for (std::size_t i = 0; i < indices.size(); ++i) {
            // Weights that share their bytes lie in one place, in whatever order.
            const bool shared =
                i > 0 && inA[pairs[indices[i]].a]->offset == inA[pairs[indices[i - 1]].a]->offset;
            if (!inOrder[i] && !shared)
                pairs[indices[i]].moved = true;
        }
    }
}

/// How sure a pair is, once everything else of it is known. `shared`: other weights have the
/// content that it was found by; `namedByPlace`: names are made of offsets.
PairConfidence confidenceOf(const ComparedPair &pair, bool shared, bool namedByPlace)
{
    constexpr double kSure = 0.95, kFar = 0.5;
    switch (pair.pairing) {
    case Pairing::Consumer:
        return pair.shapeEqual ? PairConfidence::Certain : PairConfidence::Likely;
    case Pairing::Name:
        return pair.shapeEqual && !namedByPlace ? PairConfidence::Certain : PairConfidence::Likely;
    case Pairing::Content:
        if (pair.content == ContentKind::Exact || pair.rounded)
            return shared ? PairConfidence::Likely : PairConfidence::Certain;
        return pair.similarity.value_or(0) >= kSure && pair.nextSimilarity < kFar
                   ? PairConfidence::Certain
                   : PairConfidence::Likely;
    case Pairing::Hand: return PairConfidence::Certain;
    case Pairing::ShapeOnly:
    case Pairing::Position: break;
    }
    return PairConfidence::Guess;
}

/// Pairs what is found, step by step; each step only sees what the ones before left over.
class Pairer
{
public:
    Pairer(const Bundle &a, const Bundle &b, const Progress *progress)
        : m_a(a), m_b(b), m_progress(progress), m_ofA(a.weights().size(), kNoIndex),
          m_ofB(b.weights().size(), kNoIndex), m_how(a.weights().size(), Pairing::Name),
          m_shared(a.weights().size(), false), m_rounded(a.weights().size(), false),
          m_match(a.weights().size())
    {
    }

    void byHand(std::span<const PairChoice> chosen)
    {
        for (const PairChoice &choice : chosen) {
            const bool ofA = choice.a < m_ofA.size(), ofB = choice.b < m_ofB.size();
            if ((choice.a != kNoIndex && !ofA) || (choice.b != kNoIndex && !ofB))
                continue;
            if (ofA)
                unpair(m_ofA, m_ofB, choice.a, kAlone);
            if (ofB)
                unpair(m_ofB, m_ofA, choice.b, kAlone);
            if (!ofA || !ofB)
                continue;
            m_ofA[choice.a] = choice.b;
            m_ofB[choice.b] = choice.a;
            m_how[choice.a] = Pairing::Hand;
        }
    }

    void byConsumer()
    {
        if (madeNames())
            return;
        const Groups groupsA = consumersOf(m_a), groupsB = consumersOf(m_b);
        // Several weights can serve one parameter (the values of a concat), and operations may
        // share a name: of those the one of the same name goes first, then the one in the same
        // place.
        for (const bool sameName : {true, false}) {
            for (const auto &[key, a] : groupsA) {
                const auto found = groupsB.find(key);
                if (found == groupsB.end())
                    continue;
                const auto &b = found->second;
                for (std::size_t i = 0; i < a.size(); ++i) {
                    if (!sameName) {
                        if (i < b.size())
                            pair(a[i], b[i], Pairing::Consumer);
                        continue;
                    }
                    const std::string name = baseName(m_a.weights()[a[i]].name);
                    for (const std::size_t candidate : b) {
                        if (baseName(m_b.weights()[candidate].name) == name &&
                            pair(a[i], candidate, Pairing::Consumer))
                            break;
                    }
                }
            }
        }
    }

    void byName()
    {
        const bool offsets = m_a.kind() == BundleKind::MilBlob || m_b.kind() == BundleKind::MilBlob;
        if (offsets || madeNames()) {
            // Names made of offsets say little: the same place must hold as many elements.
            byKey(Pairing::Name, [](const Bundle &bundle, std::size_t i) {
                const Weight &weight = bundle.weights()[i];
                return fmt::format("{} {}", weight.name, weight.elements.value);
            });
            return;
        }
        byKey(Pairing::Name, [](const Bundle &bundle, std::size_t i) {
            const Weight &weight = bundle.weights()[i];
            return fmt::format("{}/{}\n{}", weight.model, weight.function, weight.name);
        });
        byKey(Pairing::Name, [](const Bundle &bundle, std::size_t i) {
            const Weight &weight = bundle.weights()[i];
            return fmt::format("{}/{}\n{}", weight.model, weight.function, baseName(weight.name));
        });
        byKey(Pairing::Name, [](const Bundle &bundle, std::size_t i) {
            return baseName(bundle.weights()[i].name);
        });
    }

    void byContent(diff::KeyPrecision precision)
    {
        const auto before = m_ofA;
        // Only sizes that are left over on both sides need to be read.
        std::map<std::uint64_t, std::array<std::size_t, 2>> sizes;
        for (std::size_t i = 0; i < m_ofA.size(); ++i)
            sizes[m_a.weights()[i].elements.value][0] += m_ofA[i] == kNoIndex;
        for (std::size_t i = 0; i < m_ofB.size(); ++i)
            sizes[m_b.weights()[i].elements.value][1] += m_ofB[i] == kNoIndex;
        byKey(Pairing::Content, [&](const Bundle &bundle, std::size_t i) {
            const auto [a, b] = sizes[bundle.weights()[i].elements.value];
            return a > 0 && b > 0 && !cancelled() ? diff::contentKey(bundle, i, precision)
                                                  : std::string();
        });
        for (std::size_t i = 0; i < m_ofA.size(); ++i)
            m_rounded[i] =
                m_ofA[i] == before[i] ? m_rounded[i] : precision == diff::KeyPrecision::Half;
    }

    /// Takes back pairs by an operation or a name whose contents the other side has elsewhere, as
    /// far as those are free then: names that count layers are others once one is added, and
    /// names of unlike shapes agree by chance. Weights of one shape that are exchanged keep their
    /// partners: what is called the same is something else there.
    void loosen()
    {
        std::vector<std::size_t> freeA, freeB, unlike;
        leftOver(freeA, freeB, false);
        for (std::size_t i = 0; i < m_ofA.size(); ++i) {
            if (poorly(i))
                unlike.push_back(i);
        }
        std::set<std::uint64_t> sizes;
        for (const auto &[bundle, free] : {std::pair(&m_a, &freeA), std::pair(&m_b, &freeB)}) {
            for (const std::size_t i : *free)
                sizes.insert(bundle->weights()[i].elements.value);
        }
        for (const std::size_t i : unlike) {
            sizes.insert(m_a.weights()[i].elements.value);
            sizes.insert(m_b.weights()[m_ofA[i]].elements.value);
        }
        const auto keysA = keysOf(m_a, sizes), keysB = keysOf(m_b, sizes);
        const auto whereA = onceOf(keysA), whereB = onceOf(keysB);
        // Where either side has that content once.
        const auto placesOf = [&](const std::string &key) {
            const auto a = whereA.find(key), b = whereB.find(key);
            return key.empty() || a == whereA.end() || b == whereB.end()
                       ? std::pair(kNoIndex, kNoIndex)
                       : std::pair(a->second, b->second);
        };
        const auto release = [&](std::size_t a) {
            freeA.push_back(a);
            freeB.push_back(m_ofA[a]);
            unpair(m_ofA, m_ofB, a, kNoIndex);
        };
        for (const std::size_t i : unlike) {
            if (placesOf(keysA[i]).second != kNoIndex ||
                placesOf(keysB[m_ofA[i]]).first != kNoIndex)
                release(i);
        }
        // From what is free to what holds the same, whose partner is free in its turn.
        while (!freeA.empty() || !freeB.empty()) {
            const bool ofA = !freeA.empty();
            auto &from = ofA ? freeA : freeB;
            const auto [a, b] = placesOf(ofA ? keysA[from.back()] : keysB[from.back()]);
            from.pop_back();
            const std::size_t i = ofA && b != kNoIndex ? m_ofB[b] : a;
            if (a != kNoIndex && b != kNoIndex && paired(i) && paired(m_ofA[i]) &&
                m_how[i] != Pairing::Hand && keysA[i] != keysB[m_ofA[i]])
                release(i);
        }
    }

    /// Matrices that stand the other way round: [in, out] in one format, [out, in] in another.
    void byTransposed()
    {
        byKey(Pairing::Content, [&](const Bundle &bundle, std::size_t i) {
            return cancelled() ? std::string() : diff::turnedKey(bundle, i, &bundle == &m_b);
        });
    }

    /// Weights that are several of the other side.
    void byJoining(bool exact)
    {
        std::vector<std::size_t> a, b;
        for (std::size_t i = 0; i < m_ofA.size(); ++i) {
            if (m_ofA[i] == kNoIndex || poorly(i))
                a.push_back(i);
        }
        for (std::size_t i = 0; i < m_ofB.size(); ++i) {
            if (m_ofB[i] == kNoIndex || (paired(m_ofB[i]) && poorly(m_ofB[i])))
                b.push_back(i);
        }
        for (ComparedPair &pair : diff::findJoined(m_a, a, m_b, b, exact, m_progress)) {
            unpair(m_ofA, m_ofB, pair.a, kJoined);
            unpair(m_ofB, m_ofA, pair.b, kJoined);
            m_joined.push_back(std::move(pair));
        }
    }

    /// What nothing else pairs, by samples of its values: as they stand, then in another order.
    void byNearest()
    {
        std::vector<std::size_t> onlyA, onlyB;
        leftOver(onlyA, onlyB, false);
        for (diff::ContentMatch &match : diff::matchContent(m_a, onlyA, m_b, onlyB, m_progress)) {
            if (pair(match.a, match.b, Pairing::Content))
                m_match[match.a] = std::move(match);
        }
    }

    void byShape()
    {
        const auto shapeKey = [](const Bundle &bundle, std::size_t i) {
            return shapeText(bundle.weights()[i].shape);
        };
        // A shape that one weight of each side has is a better reason than the place among many.
        const auto once = [&](const Bundle &bundle, const std::vector<std::size_t> &partner) {
            std::map<std::string, std::size_t> counts;
            for (std::size_t i = 0; i < partner.size(); ++i) {
                if (partner[i] == kNoIndex)
                    ++counts[shapeKey(bundle, i)];
            }
            return counts;
        };
        const auto countsA = once(m_a, m_ofA), countsB = once(m_b, m_ofB);
        byKey(Pairing::ShapeOnly, [&](const Bundle &bundle, std::size_t i) {
            const std::string key = shapeKey(bundle, i);
            const auto a = countsA.find(key), b = countsB.find(key);
            const bool unique =
                a != countsA.end() && b != countsB.end() && a->second == 1 && b->second == 1;
            return unique ? key : std::string();
        });
        byKey(Pairing::Position, shapeKey);
    }

    std::vector<ComparedPair> pairs() const
    {
        const bool namedByPlace =
            m_a.kind() == BundleKind::MilBlob || m_b.kind() == BundleKind::MilBlob;
        std::vector<ComparedPair> pairs;
        pairs.reserve(m_ofA.size() + m_joined.size());
        for (std::size_t i = 0; i < m_ofA.size(); ++i) {
            if (!paired(m_ofA[i]))
                continue;
            ComparedPair pair;
            pair.pairing = m_how[i];
            pair.a = i;
            pair.b = m_ofA[i];
            const Weight &a = m_a.weights()[pair.a], &b = m_b.weights()[pair.b];
            pair.shapeEqual = comparableShapes(a.shape, b.shape);
            pair.damaged = a.fault || b.fault;
            const bool alike = !pair.damaged && sameLayoutButShape(a, b);
            pair.layoutEqual = alike && a.shape == b.shape;
            pair.shapeOnly = alike && a.shape != b.shape;
            pair.storedRatio = storedRatio(a, b);
            if (pair.pairing == Pairing::Content) {
                pair.rounded = m_rounded[i];
                pair.content = pair.rounded ? ContentKind::Nearest : ContentKind::Exact;
                if (const auto &match = m_match[i]) {
                    pair.content = match->order ? ContentKind::Reordered : ContentKind::Nearest;
                    pair.similarity = match->similarity;
                    pair.nextSimilarity = match->next;
                    pair.order = match->order;
                }
            }
            pair.confidence = confidenceOf(pair, m_shared[i], namedByPlace);
            pairs.push_back(std::move(pair));
        }
        markMoved(m_a, m_b, pairs);
        pairs.insert(pairs.end(), m_joined.begin(), m_joined.end());
        return pairs;
    }

    /// `alone`: with those that have no partner because a person said so.
    void leftOver(std::vector<std::size_t> &onlyA, std::vector<std::size_t> &onlyB,
                  bool alone) const
    {
        const auto left = [alone](std::size_t partner) {
            return partner == kNoIndex || (alone && partner == kAlone);
        };
        onlyA.clear();
        onlyB.clear();
        for (std::size_t i = 0; i < m_ofA.size(); ++i) {
            if (left(m_ofA[i]))
                onlyA.push_back(i);
        }
        for (std::size_t i = 0; i < m_ofB.size(); ++i) {
            if (left(m_ofB[i]))
                onlyB.push_back(i);
        }
    }

private:
    /// Partner of a weight that gets none: a person said so, or it is split or merged.
    static constexpr std::size_t kAlone = kNoIndex - 1, kJoined = kNoIndex - 2;
    static bool paired(std::size_t partner) { return partner < kJoined; }
    /// Gives a weight another partner than it has; the partner that it had is free again.
    void unpair(std::vector<std::size_t> &of, std::vector<std::size_t> &back, std::size_t weight,
                std::size_t now)
    {
        if (paired(of[weight]))
            back[of[weight]] = kNoIndex;
        of[weight] = now;
    }

    /// A pair by an operation or a name where one side is longer: the other may be a part of it.
    bool poorly(std::size_t a) const
    {
        return paired(m_ofA[a]) && m_how[a] != Pairing::Hand &&
               m_a.weights()[a].elements != m_b.weights()[m_ofA[a]].elements;
    }

    /// One side has no names of its own (Core AI packages): those that were made for it and the
    /// other side's agree by chance alone.
    bool madeNames() const
    {
        const auto isMade = [](BundleKind kind) {
            return kind == BundleKind::Aimodel || kind == BundleKind::Aimodelx;
        };
        return isMade(m_a.kind()) != isMade(m_b.kind());
    }

    /// What the weights of those sizes hold; empty for others and for what may agree by chance.
    std::vector<std::string> keysOf(const Bundle &bundle,
                                    const std::set<std::uint64_t> &sizes) const
    {
        constexpr std::uint64_t kFewest = 16;
        std::vector<std::string> keys(bundle.weights().size());
        for (std::size_t i = 0; i < keys.size() && !cancelled(); ++i) {
            const std::uint64_t elements = bundle.weights()[i].elements.value;
            if (elements >= kFewest && sizes.contains(elements))
                keys[i] = diff::contentKey(bundle, i, diff::KeyPrecision::Stored);
        }
        return keys;
    }
    /// The weight of each key that only one has.
    static std::map<std::string, std::size_t> onceOf(const std::vector<std::string> &keys)
    {
        std::map<std::string, std::size_t> where;
        for (std::size_t i = 0; i < keys.size(); ++i) {
            const auto [at, isNew] = where.emplace(keys[i], i);
            if (!isNew)
                at->second = kNoIndex;
        }
        return where;
    }

    /// Pairs the weights that share a key, in order; an empty key stands for none.
    template <class KeyOf>
    void byKey(Pairing how, const KeyOf &keyOf)
    {
        const Groups groupsA = groupsOf(m_a, m_ofA, keyOf), groupsB = groupsOf(m_b, m_ofB, keyOf);
        for (const auto &[key, a] : groupsA) {
            const auto found = groupsB.find(key);
            if (found == groupsB.end())
                continue;
            const auto &b = found->second;
            for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
                m_shared[a[i]] = pair(a[i], b[i], how) && std::max(a.size(), b.size()) > 1;
        }
    }

    template <class KeyOf>
    static Groups groupsOf(const Bundle &bundle, const std::vector<std::size_t> &partner,
                           const KeyOf &keyOf)
    {
        Groups groups;
        for (std::size_t i = 0; i < partner.size(); ++i) {
            if (partner[i] != kNoIndex)
                continue;
            if (std::string key = keyOf(bundle, i); !key.empty())
                groups[std::move(key)].push_back(i);
        }
        return groups;
    }

    bool pair(std::size_t a, std::size_t b, Pairing how)
    {
        if (m_ofA[a] != kNoIndex || m_ofB[b] != kNoIndex)
            return false;
        m_ofA[a] = b;
        m_ofB[b] = a;
        m_how[a] = how;
        return true;
    }

    bool cancelled() const { return m_progress != nullptr && m_progress->cancelled(); }

    const Bundle &m_a;
    const Bundle &m_b;
    const Progress *m_progress;
    std::vector<std::size_t> m_ofA, m_ofB; ///< partner of each weight
    std::vector<Pairing> m_how;            ///< by weight of A
    std::vector<bool> m_shared;  ///< by weight of A: others have the key that it was paired by
    std::vector<bool> m_rounded; ///< by weight of A: paired by its content rounded to fp16
    std::vector<std::optional<diff::ContentMatch>> m_match; ///< by weight of A
    std::vector<ComparedPair> m_joined;                     ///< of slices
};

/// What both are to the operation that reads them.
std::string consumerReason(const Weight &a, const Weight &b)
{
    for (const Consumer &x : a.consumers) {
        for (const Consumer &y : b.consumers) {
            if (x.op == y.op && x.name == y.name && x.param == y.param)
                return fmt::format("both are {} of {} {}", x.param, x.op, x.name);
        }
    }
    return "both are read by the same operation";
}

std::string orderReason(const ChannelOrder &order, std::size_t channels)
{
    const bool outputs = !order.outputs.empty();
    return fmt::format("the same {} channels in another order: {} of {} stand elsewhere, "
                       "correlation {:.3f}",
                       outputs ? "output" : "input",
                       grouped(ChannelOrder::moved(outputs ? order.outputs : order.inputs)),
                       grouped(channels), order.correlation);
}

std::string contentReason(const ComparedPair &pair, std::uint64_t elements)
{
    if (!pair.shapeEqual && !pair.similarity)
        return "the same values transposed, rounded to fp16, in the 64 elements looked at";
    if (!pair.similarity) {
        const std::string rounded = pair.rounded ? ", rounded to fp16" : "";
        const bool whole = elements <= diff::kKeyElements;
        if (whole || (pair.values && pair.values->identical()))
            return "the same decoded values" + rounded;
        return fmt::format("the same values{} in the {} elements looked at", rounded,
                           grouped(diff::kKeyElements));
    }
    std::string text =
        pair.order
            ? orderReason(*pair.order,
                          std::max(pair.order->outputs.size(), pair.order->inputs.size()))
            : fmt::format("the most similar values{}: correlation {:.3f}",
                          pair.shapeEqual ? "" : ", transposed", pair.similarity.value_or(0));
    if (pair.nextSimilarity > 0)
        text += fmt::format(", of the next one {:.3f}", pair.nextSimilarity);
    return text;
}

std::string exchangedText(const Bundle &a, const ComparedPair &pair)
{
    return pair.exchanged ? fmt::format("; B holds the values that A has in {}",
                                        a.weights()[*pair.exchanged].findableName())
                          : std::string();
}

/// Values that are others, whatever the order of the channels; 0 where they were not compared.
std::uint64_t changedValues(const ComparedPair &pair)
{
    if (pair.order)
        return pair.reordered ? pair.reordered->different : 0;
    return pair.values ? pair.values->different() : 0;
}

/// Most values are others although they are stored alike: no patch, and no encoding, does that.
bool retrained(const ComparedPair &pair)
{
    if (!pair.layoutEqual)
        return false;
    if (pair.order)
        return pair.reordered && changedValues(pair) > pair.reordered->equal;
    if (!pair.values)
        return pair.content == ContentKind::Nearest && pair.similarity.has_value();
    // What pruning took away alone is no training.
    const ValueDifference &values = *pair.values;
    return values.different() > values.elements() / 2 &&
           values.changed + values.revived > values.zeroed;
}

} // namespace

std::span<const ComparedPair> wholePairs(std::span<const ComparedPair> pairs)
{
    const auto slice =
        std::ranges::find_if(pairs, [](const auto &pair) { return pair.slice.has_value(); });
    return pairs.first(static_cast<std::size_t>(slice - pairs.begin()));
}

std::vector<std::span<const ComparedPair>> slicedPairs(std::span<const ComparedPair> pairs)
{
    std::vector<std::span<const ComparedPair>> lists;
    for (std::size_t at = wholePairs(pairs).size(); at < pairs.size();) {
        lists.push_back(pairs.subspan(at, pairs[at].slice->parts));
        at += pairs[at].slice->parts;
    }
    return lists;
}

PairedWeights pairWeights(const Bundle &a, const Bundle &b, std::span<const PairChoice> chosen,
                          Progress *progress)
{
    const BundleReadLock lock(a, b);
    Pairer pairer(a, b, progress);
    pairer.byHand(chosen);
    pairer.byConsumer();
    pairer.byName();
    pairer.loosen();
    pairer.byContent(diff::KeyPrecision::Stored);
    pairer.byContent(diff::KeyPrecision::Half);
    pairer.byTransposed();
    pairer.byJoining(true);
    pairer.byNearest();
    pairer.byJoining(false);
    pairer.byShape();
    PairedWeights result;
    pairer.leftOver(result.onlyA, result.onlyB, true);
    result.pairs = pairer.pairs();
    return result;
}

std::string_view pairingName(Pairing pairing)
{
    static constexpr std::array<std::string_view, 6> kNames{"consumer", "name",     "content",
                                                            "shape",    "position", "hand"};
    return kNames[static_cast<std::size_t>(pairing)];
}

std::string_view contentKindName(ContentKind kind)
{
    static constexpr std::array<std::string_view, 4> kNames{"", "exact", "nearest", "reordered"};
    return kNames[static_cast<std::size_t>(kind)];
}

std::string_view pairConfidenceName(PairConfidence confidence)
{
    static constexpr std::array<std::string_view, 3> kNames{"certain", "likely", "guess"};
    return kNames[static_cast<std::size_t>(confidence)];
}

std::string pairingText(const ComparedPair &pair)
{
    std::string text(pairingName(pair.pairing));
    if (pair.content == ContentKind::Nearest || pair.content == ContentKind::Reordered)
        text += ": " + std::string(contentKindName(pair.content));
    return text;
}

std::string pairingReason(const Bundle &a, const Bundle &b, const ComparedPair &pair)
{
    if (pair.slice)
        return fmt::format("{}; sampled values agree by {:.3f}", sliceText(*pair.slice),
                           pair.similarity.value_or(0));
    const Weight &from = a.weights()[pair.a], &to = b.weights()[pair.b];
    switch (pair.pairing) {
    case Pairing::Consumer: return consumerReason(from, to) + exchangedText(a, pair);
    case Pairing::Name:
        return (from.name == to.name ? "both are called " + from.name
                                     : fmt::format("both are {} without the suffixes of converters",
                                                   baseName(from.name))) +
               exchangedText(a, pair);
    case Pairing::Content: return contentReason(pair, from.elements.value);
    case Pairing::ShapeOnly:
        return "the only ones left of shape " + shapeText(from.shape) +
               "; their values have little in common";
    case Pairing::Hand: return "paired by hand";
    case Pairing::Position: break;
    }
    return "in their order among those left of shape " + shapeText(from.shape);
}

std::vector<std::string_view> pairChanges(const Bundle &a, const Bundle &b,
                                          const ComparedPair &pair)
{
    const Weight &from = a.weights()[pair.a], &to = b.weights()[pair.b];
    std::vector<std::string_view> changes;
    if (baseName(from.name) != baseName(to.name))
        changes.emplace_back("renamed");
    if (pair.moved)
        changes.emplace_back("moved");
    if (pair.order)
        changes.emplace_back("reordered");
    if (pair.rule && pair.rule->kind == ValueRule::Kind::Transposed)
        changes.emplace_back("transposed");
    else if (!pair.shapeEqual && !pair.unreadable())
        changes.emplace_back("reshaped");
    if (pair.unreadable())
        changes.emplace_back("unreadable");
    else if (pair.reencoded())
        changes.emplace_back("re-encoded");
    else if (pair.rule && pair.rule->left == 0)
        ; // what the rule says is all that changed
    else if (pair.exchanged)
        changes.emplace_back("exchanged");
    else if (retrained(pair))
        changes.emplace_back("re-trained");
    else if (changedValues(pair) > 0)
        changes.emplace_back("edited");
    return changes;
}

std::string pairChangesText(const Bundle &a, const Bundle &b, const ComparedPair &pair)
{
    if (pair.slice)
        return sliceText(*pair.slice);
    std::string text;
    for (const std::string_view change : pairChanges(a, b, pair))
        text += (text.empty() ? "" : ", ") + std::string(change);
    return text;
}

} // namespace kernscope
