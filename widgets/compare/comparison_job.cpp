// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/comparison_job.h"

#include "core/bundle/pair_read_lock.h"
#include "core/diff/weight_fingerprint.h"
#include "widgets/common/table_text.h"

namespace kernscope::ui {

namespace {

ComparisonMemory::PairKey keyOf(const WeightPair &pair)
{
    return {pair.a, pair.b};
}

bool comparable(const CompareRow &row)
{
    return row.onA() && row.onB() && row.pair.shapeEqual && !row.pair.fault;
}

/// The three stages over two bundles.
class Comparison
{
public:
    Comparison(ComparisonMemory &now, const ComparisonMemory *before, ComparisonInbox &inbox)
        : m_now(now), m_before(before), m_inbox(inbox)
    {
    }

    void run(Progress &progress)
    {
        pairUp(progress);
        if (!progress.cancelled())
            compareFiles(progress);
        for (std::size_t row = 0; row < m_rows.size() && !progress.cancelled(); ++row)
            compareRow(row, progress);
        std::size_t row = m_pairs;
        for (JoinedWeights &joined : m_joined) {
            if (!progress.cancelled())
                compareParts(row, joined, progress);
            row += joined.parts.size();
        }
        if (!progress.cancelled())
            sumUp();
    }

private:
    void pairUp(Progress &progress)
    {
        PairedWeights paired = pairWeights(*m_now.a, *m_now.b, m_now.chosen, &progress);
        if (progress.cancelled())
            return;
        m_rows = makeCompareRows(*m_now.a, *m_now.b, paired);
        m_pairs = paired.pairs.size();
        m_joined = std::move(paired.joined);
        {
            const PairReadLock lock(*m_now.a, *m_now.b);
            m_now.printsA = weightFingerprints(*m_now.a);
            m_now.printsB = weightFingerprints(*m_now.b);
        }
        for (CompareRow &row : m_rows) {
            if (const auto *known = m_before ? m_before->find(m_now, keyOf(row.pair)) : nullptr) {
                row.pair.values = *known;
                row.state = CompareState::Compared;
                row.word = fromUtf8(verdict(row.pair, *m_now.a, *m_now.b));
                row.changes = fromUtf8(pairChangesText(*m_now.a, *m_now.b, row.pair));
            } else if (comparable(row) || row.joined()) {
                m_elements += row.elements;
            }
        }
        const std::lock_guard guard(m_inbox.mutex);
        m_inbox.rows = m_rows;
    }

    /// The program and the stored bytes of each pair; they count as much as the elements after.
    void compareFiles(Progress &progress)
    {
        auto files =
            compareBundles(*m_now.a, *m_now.b,
                           {.values = false, .bytes = false, .pairs = m_now.chosen}, &progress);
        if (!files || progress.cancelled())
            return;
        std::uint64_t total = m_elements;
        std::map<ComparisonMemory::PairKey, const WeightPair *> pairs;
        for (const WeightPair &pair : files->weights) {
            pairs[keyOf(pair)] = &pair;
            if (pair.layoutEqual)
                total += m_now.a->weights()[pair.a].storedBytes.value;
        }
        progress.setTotal(total);
        for (CompareRow &row : m_rows) {
            const auto found = pairs.find(keyOf(row.pair));
            if (found == pairs.end())
                continue;
            row.pair.layoutEqual = found->second->layoutEqual;
            row.pair.storedEqual = found->second->storedEqual;
        }
        m_files = std::make_shared<const Difference>(*std::move(files));
        const std::lock_guard guard(m_inbox.mutex);
        m_inbox.files = m_files;
    }

    void compareRow(std::size_t number, Progress &progress)
    {
        WeightPair &pair = m_rows[number].pair;
        if (!comparable(m_rows[number])) {
            if (m_rows[number].onA() && m_rows[number].onB() && !pair.shapeEqual &&
                findReshaped(*m_now.a, *m_now.b, pair, &progress) && (pair.reshaped || pair.rule))
                tell(number, pair);
            return;
        }
        if (pair.values)
            describeValues(*m_now.a, *m_now.b, pair);
        else if (!compareValues(*m_now.a, *m_now.b, pair, 0.0, &progress) || progress.cancelled())
            return;
        if (pair.values)
            m_now.values[keyOf(pair)] = *pair.values;
        tell(number, pair);
    }

    void tell(std::size_t number, const WeightPair &pair)
    {
        const std::lock_guard guard(m_inbox.mutex);
        m_inbox.pairs.push_back({number, pair, verdict(pair, *m_now.a, *m_now.b),
                                 pairChangesText(*m_now.a, *m_now.b, pair)});
    }

    /// The rows of a split or merged weight, the first of which is `first`.
    void compareParts(std::size_t first, JoinedWeights &joined, Progress &progress)
    {
        const auto known = [&](std::size_t i) { return m_rows[first + i].pair.values.has_value(); };
        bool all = true;
        for (std::size_t i = 0; i < joined.parts.size(); ++i)
            all = all && known(i);
        for (std::size_t i = 0; all && i < joined.parts.size(); ++i)
            joined.parts[i].values = m_rows[first + i].pair.values;
        if (!all && !compareJoined(*m_now.a, *m_now.b, joined, 0.0, &progress))
            return;
        const std::lock_guard guard(m_inbox.mutex);
        for (std::size_t i = 0; i < joined.parts.size(); ++i) {
            CompareRow row = makePartRow(*m_now.a, *m_now.b, joined, i);
            if (row.pair.values)
                m_now.values[keyOf(row.pair)] = *row.pair.values;
            m_inbox.pairs.push_back({first + i, row.pair, joinedVerdict(joined, i), {}});
        }
    }

    /// The same pairs as those of the files, now with their values.
    void sumUp()
    {
        if (!m_files || m_files->weights.size() != m_pairs)
            return;
        Difference whole = *m_files;
        for (std::size_t i = 0; i < m_pairs; ++i)
            whole.weights[i] = m_rows[i].pair;
        whole.joined = m_joined;
        auto outcome =
            std::make_shared<const ComparisonOutcome>(m_now.a, m_now.b, std::move(whole));
        const std::lock_guard guard(m_inbox.mutex);
        m_inbox.outcome = std::move(outcome);
    }

    ComparisonMemory &m_now;
    const ComparisonMemory *m_before;
    ComparisonInbox &m_inbox;
    std::vector<CompareRow> m_rows;
    std::vector<JoinedWeights> m_joined; ///< their rows follow those of the pairs
    std::shared_ptr<const Difference> m_files;
    std::size_t m_pairs = 0;
    std::uint64_t m_elements = 0; ///< to be decoded on either side
};

} // namespace

const ValueDifference *ComparisonMemory::find(const ComparisonMemory &now, PairKey key) const
{
    const auto at = values.find(key);
    const auto [wa, wb] = key;
    const bool same = at != values.end() && wa < printsA.size() && wb < printsB.size() &&
                      wa < now.printsA.size() && wb < now.printsB.size() &&
                      printsA[wa] == now.printsA[wa] && printsB[wb] == now.printsB[wb];
    return same ? &at->second : nullptr;
}

void runComparison(ComparisonMemory &now, const ComparisonMemory *before, ComparisonInbox &inbox,
                   Progress &progress)
{
    Comparison(now, before, inbox).run(progress);
}

} // namespace kernscope::ui
