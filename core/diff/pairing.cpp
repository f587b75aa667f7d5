// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/overlaid_file.h"
#include "core/bundle/pair_read_lock.h"
#include "core/bundle/stored_bytes.h"
#include "core/diff/content_key.h"
#include "core/diff/content_match.h"
#include "core/diff/diff.h"
#include "core/diff/pair_order.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace kernscope {

namespace {

/// Weights of one side by a text that both sides can have, in order.
using Groups = std::map<std::string, std::vector<std::size_t>>;

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

    void byHand(std::span<const PairChoice> chosen);
    void byConsumer();
    void byName();
    void byContent(diff::KeyPrecision precision);
    void byJoining(bool exact);
    void byNearest();
    void byShape();

    std::vector<WeightPair> pairs() const;
    std::vector<JoinedWeights> takeJoined() { return std::move(m_joined); }
    /// `alone`: with those that have no partner because a person said so.
    void leftOver(std::vector<std::size_t> &onlyA, std::vector<std::size_t> &onlyB,
                  bool alone) const;

private:
    /// Partner of a weight that gets none: a person said so, or it is split or merged.
    static constexpr std::size_t kAlone = kNoIndex - 1, kJoined = kNoIndex - 2;
    static bool paired(std::size_t partner) { return partner < kJoined; }
    void unpair(std::vector<std::size_t> &of, std::vector<std::size_t> &back, std::size_t weight,
                std::size_t now);
    bool poorly(std::size_t a) const;

    template <class KeyOf>
    void byKey(Pairing how, const KeyOf &keyOf);
    template <class KeyOf>
    static Groups groupsOf(const Bundle &bundle, const std::vector<std::size_t> &partner,
                           const KeyOf &keyOf);
    bool pair(std::size_t a, std::size_t b, Pairing how);

    bool cancelled() const { return m_progress != nullptr && m_progress->cancelled(); }

    const Bundle &m_a;
    const Bundle &m_b;
    const Progress *m_progress;
    std::vector<std::size_t> m_ofA, m_ofB; ///< partner of each weight
    std::vector<Pairing> m_how;            ///< by weight of A
    std::vector<bool> m_shared;  ///< by weight of A: others have the key that it was paired by
    std::vector<bool> m_rounded; ///< by weight of A: paired by its content rounded to fp16
    std::vector<std::optional<diff::ContentMatch>> m_match; ///< by weight of A
    std::vector<JoinedWeights> m_joined;
};

/// Gives a weight another partner than it has; the partner that it had is free again.
void Pairer::unpair(std::vector<std::size_t> &of, std::vector<std::size_t> &back,
                    std::size_t weight, std::size_t now)
{
    if (paired(of[weight]))
        back[of[weight]] = kNoIndex;
    of[weight] = now;
}

void Pairer::byHand(std::span<const PairChoice> chosen)
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

bool Pairer::pair(std::size_t a, std::size_t b, Pairing how)
{
    if (m_ofA[a] != kNoIndex || m_ofB[b] != kNoIndex)
        return false;
    m_ofA[a] = b;
    m_ofB[b] = a;
    m_how[a] = how;
    return true;
}

template <class KeyOf>
Groups Pairer::groupsOf(const Bundle &bundle, const std::vector<std::size_t> &partner,
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

/// Pairs the weights that share a key, in order; an empty key stands for none.
template <class KeyOf>
void Pairer::byKey(Pairing how, const KeyOf &keyOf)
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

void Pairer::byConsumer()
{
    const Groups groupsA = consumersOf(m_a), groupsB = consumersOf(m_b);
    // Several weights can serve one parameter (the values of a concat), and operations may share
    // a name: of those the one of the same name goes first, then the one in the same place.
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

void Pairer::byName()
{
    const bool offsets = m_a.kind() == BundleKind::MilBlob || m_b.kind() == BundleKind::MilBlob;
    if (offsets) {
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
    byKey(Pairing::Name,
          [](const Bundle &bundle, std::size_t i) { return baseName(bundle.weights()[i].name); });
}

void Pairer::byContent(diff::KeyPrecision precision)
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
        m_rounded[i] = m_ofA[i] == before[i] ? m_rounded[i] : precision == diff::KeyPrecision::Half;
}

/// A pair by an operation or a name of which one side is longer: it may be a part of the other.
bool Pairer::poorly(std::size_t a) const
{
    return paired(m_ofA[a]) && m_how[a] != Pairing::Hand &&
           m_a.weights()[a].elements != m_b.weights()[m_ofA[a]].elements;
}

/// Weights that are several of the other side.
void Pairer::byJoining(bool exact)
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
    for (JoinedWeights &joined : diff::findJoined(m_a, a, m_b, b, exact, m_progress)) {
        for (std::size_t i = 0; i < joined.parts.size(); ++i) {
            unpair(m_ofA, m_ofB, joined.weightA(i), kJoined);
            unpair(m_ofB, m_ofA, joined.weightB(i), kJoined);
        }
        m_joined.push_back(std::move(joined));
    }
}

/// What nothing else pairs, by samples of its values: as they stand, then in another order.
void Pairer::byNearest()
{
    std::vector<std::size_t> onlyA, onlyB;
    leftOver(onlyA, onlyB, false);
    for (diff::ContentMatch &match : diff::matchContent(m_a, onlyA, m_b, onlyB, m_progress)) {
        if (pair(match.a, match.b, Pairing::Content))
            m_match[match.a] = std::move(match);
    }
}

void Pairer::byShape()
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
    return a.form == b.form && a.type == b.type &&
           std::equal(x.begin(), x.end(), y.begin(), y.end(), sameOperand);
}

std::vector<WeightPair> Pairer::pairs() const
{
    const bool namedByPlace =
        m_a.kind() == BundleKind::MilBlob || m_b.kind() == BundleKind::MilBlob;
    std::vector<WeightPair> pairs;
    for (std::size_t i = 0; i < m_ofA.size(); ++i) {
        if (!paired(m_ofA[i]))
            continue;
        WeightPair pair;
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
        pair.confidence = diff::confidenceOf(pair, m_shared[i], namedByPlace);
        pairs.push_back(std::move(pair));
    }
    diff::markMoved(m_a, m_b, pairs);
    return pairs;
}

void Pairer::leftOver(std::vector<std::size_t> &onlyA, std::vector<std::size_t> &onlyB,
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

} // namespace

PairedWeights pairWeights(const Bundle &a, const Bundle &b, std::span<const PairChoice> chosen,
                          Progress *progress)
{
    const PairReadLock lock(a, b);
    Pairer pairer(a, b, progress);
    pairer.byHand(chosen);
    pairer.byConsumer();
    pairer.byName();
    pairer.byContent(diff::KeyPrecision::Stored);
    pairer.byContent(diff::KeyPrecision::Half);
    pairer.byJoining(true);
    pairer.byNearest();
    pairer.byJoining(false);
    pairer.byShape();
    PairedWeights result;
    pairer.leftOver(result.onlyA, result.onlyB, true);
    result.pairs = pairer.pairs();
    result.joined = pairer.takeJoined();
    return result;
}

} // namespace kernscope
