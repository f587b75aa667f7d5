// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/build_verdict.h"
#include "diff_sample.h"
#include "tests/test_program.h"

namespace kernscope::test {

/// Everything that is counted at A is counted at B in the other direction.
inline void requireMirror(const Difference &forth, const Difference &back)
{
    QCOMPARE(forth.identical, back.identical);
    QCOMPARE(forth.program.equal, back.program.equal);
    QCOMPARE(forth.program.sameComputation, back.program.sameComputation);
    QCOMPARE(forth.onlyA.size(), back.onlyB.size());
    QCOMPARE(forth.onlyB.size(), back.onlyA.size());
    QCOMPARE(slicedPairs(forth.weights).size(), slicedPairs(back.weights).size());
    QCOMPARE(forth.weights.size(), back.weights.size());
    for (const ComparedPair &pair : forth.weights) {
        const auto other = std::ranges::find_if(
            back.weights, [&](const ComparedPair &each) { return each.b == pair.a; });
        QVERIFY(other != back.weights.end());
        QCOMPARE(other->a, pair.b);
        QCOMPARE(other->pairing, pair.pairing);
        QCOMPARE(other->content, pair.content);
        QCOMPARE(other->layoutEqual, pair.layoutEqual);
        QCOMPARE(other->storedEqual, pair.storedEqual);
        QCOMPARE(other->values != nullptr, pair.values != nullptr);
        if (!pair.values)
            continue;
        QCOMPARE(other->values->equal, pair.values->equal);
        QCOMPARE(other->values->changed, pair.values->changed);
        QCOMPARE(other->values->zeroed, pair.values->revived);
        QCOMPARE(other->values->revived, pair.values->zeroed);
        QCOMPARE(other->values->maxAbs, pair.values->maxAbs);
        QCOMPARE(other->values->rmse, pair.values->rmse);
        QVERIFY(std::abs(other->values->cosine - pair.values->cosine) < 1e-12);
        QCOMPARE(other->values->unfaithful, pair.values->unfaithful);
        if (other->values->ulpType == pair.values->ulpType)
            QCOMPARE(other->values->ulpHistogram, pair.values->ulpHistogram);
    }
    QCOMPARE(forth.files.size(), back.files.size());
    ByteTally there, here;
    for (const FileDifference &file : forth.files)
        there += file.tally;
    for (const FileDifference &file : back.files)
        here += file.tally;
    QCOMPARE(there.inA(), here.inB());
    QCOMPARE(there.inB(), here.inA());
}

/// Nothing differs between a bundle and itself, or what was opened of the same bytes.
inline void requireEqual(const Bundle &a, const Bundle &b)
{
    const Difference difference = *compareBundles(a, b, withValues());
    QVERIFY(difference.identical && difference.program.equal);
    QVERIFY(difference.onlyA.empty() && difference.onlyB.empty());
    QCOMPARE(difference.weights.size(), a.weights().size());
    for (const ComparedPair &pair : difference.weights) {
        QCOMPARE(pair.a, pair.b);
        QVERIFY(pair.layoutEqual && pair.storedEqual && !pair.moved);
        QVERIFY(pair.values && pair.values->identical() && pair.values->faithful());
        QCOMPARE(pair.values->decoded, 0U); // the stored bytes say it
        QCOMPARE(pair.storedRatio, 1.0);
        QCOMPARE(verdict(pair, a, b), "identical");
    }
    for (const FileDifference &file : difference.files)
        QVERIFY(file.equal && file.ranges.empty());
    QCOMPARE(bytesApart(difference), 0U);
}

} // namespace kernscope::test
