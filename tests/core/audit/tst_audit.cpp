// SPDX-License-Identifier: GPL-3.0-or-later
// A package of four layers made from a checkpoint of random values, sound and with each fault.
#include "audit_sample.h"

class TestAudit : public QObject, private AuditSample
{
    Q_OBJECT

private Q_SLOTS:
    void sound_data()
    {
        addColumns<int, bool>();
        for (const bool named : {true, false}) {
            for (int form = 0; form < 15; ++form)
                QTest::addRow("form %d, %s", form, named ? "named" : "without names")
                    << form << named;
        }
    }

    void sound()
    {
        const auto [form, named] = fetched<int, bool>();
        const std::vector<Make> makes{
            int4,           int8,
            int8Shifted,    palette,
            groupedPalette, dense,
            sparse,         wholeSparseInt8,
            twoOfFour,      manyTables,
            vectors,        [](auto &values) { return scaledTables(values, 4); },
            sparseBlocks,   [](auto &values) { return scaledTables(values, kRows / 4); },
            byteTable};
        const BundlePtr package = VERIFIED(packageOf(stored(makes[std::size_t(form)]), named));
        const auto result = VERIFIED(audit::auditPackage(package, m_checkpoint));
        QVERIFY2(result->faulty.empty(), describe(*result).c_str());
        QCOMPARE(result->sound.size(), kNames.size());
        for (std::size_t i = 0; i < kNames.size(); ++i) {
            QCOMPARE(result->sound[i].checkpointName, kNames[i]);
            QVERIFY(result->sound[i].error <= 1.5 * result->sound[i].bestPossible + 1e-6);
        }
        QVERIFY(result->unpaired.empty() && result->missing.empty());
    }

    /// A table of four entries holds a row far from the others badly, with the nearest codes.
    void rowBesideTheTable()
    {
        std::vector<Values> tensors = m_tensors;
        std::vector<Stored> weights;
        for (Values &values : tensors) {
            for (std::size_t i = 9 * kColumns; i < 9 * kColumns + 6; ++i)
                values[i] *= 9;
            weights.push_back(palettised(values, 1, 2));
        }
        const BundlePtr package = VERIFIED(packageOf(weights));
        const auto result = VERIFIED(audit::auditPackage(package, checkpointOf(tensors)));
        QVERIFY2(result->faulty.empty(), describe(*result).c_str());
    }

    /// A pattern, of a checkpoint with zeros: those are not kept, whatever the pattern leaves room
    /// for.
    void patternWithZeros()
    {
        std::vector<Values> tensors = m_tensors;
        std::vector<Stored> weights;
        std::mt19937_64 random(3);
        for (Values &tensor : tensors) {
            for (float &value : tensor)
                value = random() % 3 == 0 ? 0 : value;
            Stored &weight = weights.emplace_back(twoOfFour(tensor));
            weight.dense.clear();
            for (std::size_t i = 0; i < tensor.size(); ++i) {
                weight.mask[i] = weight.mask[i] && tensor[i] != 0;
                if (weight.mask[i])
                    weight.dense.push_back(tensor[i]);
            }
        }
        const auto result =
            VERIFIED(audit::auditPackage(packageOf(weights), checkpointOf(tensors)));
        QVERIFY2(result->faulty.empty(), describe(*result).c_str());
    }

    void nanOfTheCheckpoint()
    {
        std::vector<Values> tensors = m_tensors;
        tensors[2][3 * kColumns + 5] = NAN;
        for (const Make &make : {Make(int8), Make(dense)}) {
            const BundlePtr package = VERIFIED(packageOf(stored(make)));
            const auto result = VERIFIED(audit::auditPackage(package, checkpointOf(tensors)));
            QVERIFY2(result->faulty.size() == 1, describe(*result).c_str());
            const audit::AuditedWeight &row = result->faulty[0];
            QVERIFY(row.fault == audit::Kind::NonFinite);
            QVERIFY(row.elements == (std::vector<std::vector<std::uint64_t>>{{3, 5}}));
            QVERIFY2(row.why.find("checkpoint's are NaN") != row.why.npos, row.why.c_str());
        }
    }

    /// Sixteen even steps over the range of the values, as a table or by one scale; or wider ones.
    static Stored ofSteps(const Values &values, bool even, float wider = 1)
    {
        const auto [low, high] = std::ranges::minmax_element(values);
        Stored made;
        made.bits = 4;
        made.groups = even ? 1 : 0;
        const float step = wider * (even ? (*high - *low) / 15 : std::max(-*low, *high) / 7);
        for (std::size_t k = 0; even && k < 16; ++k)
            made.table.push_back(*low + float(k) * step);
        if (!even)
            made.scales = {step};
        for (const float value : values)
            made.codes.push_back(int(std::lround((value - (even ? *low : 0)) / step)));
        return made;
    }

    /// A table of even steps and a scale of the largest magnitude are what tools make, however far
    /// from the best; steps of another range are at fault, and so is what a rule does not allow.
    void ofRange_data()
    {
        const auto row = addColumns<bool, float, bool>();
        for (const bool even : {true, false}) {
            row(even ? "even table" : "one scale", even, 1.0F, false);
            row(even ? "wider table" : "larger scale", even, 1.7F, false);
            row(even ? "even table, rule" : "one scale, rule", even, 1.0F, true);
        }
    }

    void ofRange()
    {
        const auto [even, wider, ruled] = fetched<bool, float, bool>();
        std::vector<Stored> weights = stored(int4);
        weights[1] = ofSteps(m_tensors[1], even, wider);
        audit::AuditOptions options;
        if (ruled)
            options.rules.auditLimit = 1.5;
        const BundlePtr package = VERIFIED(packageOf(weights));
        const auto result = VERIFIED(audit::auditPackage(package, m_checkpoint, options));
        QCOMPARE(result->faulty.size(), std::size_t(wider > 1 || ruled));
        if (!result->faulty.empty()) {
            QVERIFY2(result->faulty[0].fault == audit::Kind::AboveBest, describe(*result).c_str());
            return;
        }
        const audit::AuditedWeight &row = result->sound[1];
        QVERIFY(row.error > 1.5 * row.bestPossible);
        QVERIFY2(row.why.find("method") != row.why.npos, row.why.c_str());
        QVERIFY(result->sound[0].why.empty());
    }

    /// Coarse steps hide neither that a weight was transposed nor that two were exchanged.
    void movedWithinRange()
    {
        for (const bool even : {true, false}) {
            std::vector<Stored> weights;
            for (const Values &values : m_tensors)
                weights.push_back(ofSteps(values, even));
            std::swap(weights[0], weights[2]);
            Values turned(m_tensors[1].size());
            for (std::size_t i = 0; i < turned.size(); ++i)
                turned[i] = m_tensors[1][i % kRows * kColumns + i / kRows];
            weights[1] = ofSteps(turned, even);
            const BundlePtr package = VERIFIED(packageOf(weights));
            const auto result = VERIFIED(audit::auditPackage(package, m_checkpoint));
            QVERIFY2(result->faulty.size() == 3, describe(*result).c_str());
            for (const audit::AuditedWeight &row : result->faulty)
                QVERIFY2(row.fault == (row.checkpointName == kNames[1] ? audit::Kind::Transposed
                                                                       : audit::Kind::Swapped),
                         describe(*result).c_str());
        }
    }

    /// A mask of few kept values leaves out whole rows whose values are small, the larger of them.
    void rowsThatTheMaskLeavesOut()
    {
        std::vector<Stored> weights;
        std::vector<Values> tensors = m_tensors;
        for (Values &values : tensors) {
            for (std::size_t i = 0; i < values.size(); ++i) { // large: one of a row, but of row 9
                const bool large = i % kColumns == 0 && i != 9 * kColumns;
                values[i] = std::copysign(large               ? 1.0F
                                          : i / kColumns == 9 ? 0.2F
                                                              : 0.01F,
                                          values[i]);
            }
            Stored made;
            for (const float value : values) {
                made.mask.push_back(std::abs(value) > 0.5F);
                if (made.mask.back())
                    made.dense.push_back(value);
            }
            weights.push_back(std::move(made));
        }
        const BundlePtr package = VERIFIED(packageOf(weights));
        const auto result = VERIFIED(audit::auditPackage(package, checkpointOf(tensors)));
        QVERIFY2(result->faulty.empty(), describe(*result).c_str());
    }

    void faults_data()
    {
        QTest::addColumn<int>("number");
        const char *const kNamesOfFaults[] = {
            "rows-zeroed",     "scales-shifted",  "nibbles-swapped", "transposed",
            "scale-missing",   "zero-point-sign", "table-permuted",  "group-order",
            "mask-shifted",    "flipped",         "block-scale",     "non-finite",
            "clipped",         "nibbles-swapped", "scaled",          "clipped",
            "rows-zeroed",     "scaled",          "other-values",    "other-rows",
            "rows-zeroed",     "rows-zeroed",     "rows-zeroed",     "rows-zeroed",
            "rows-zeroed",     "mask-shifted",    "mask-shifted",    "mask-shifted",
            "mask-shifted",    "mask-shifted",    "group-order",     "table-permuted",
            "table-permuted",  "block-scale",     "rows-zeroed",     "clipped",
            "zero-point-sign", "mask-shifted",    "nibbles-swapped", "table-permuted",
            "table-permuted"};
        for (int i = 0; i < int(std::size(kNamesOfFaults)); ++i)
            QTest::addRow("%s %d", kNamesOfFaults[i], i) << i;
    }

    void faults()
    {
        QFETCH(int, number);
        struct Fault {
            audit::Kind kind;
            Make make;
            Change change;
            std::vector<audit::Rows> rows = {};
        };
        const auto rotate = [](auto &values, std::size_t by) {
            std::rotate(values.rbegin(), values.rbegin() + std::ptrdiff_t(by), values.rend());
        };
        const auto swapPairs = [](Stored &weight) {
            for (std::size_t i = 0; i + 1 < weight.codes.size(); i += 2)
                std::swap(weight.codes[i], weight.codes[i + 1]);
        };
        const auto multiplyRows = [](Stored &w, std::size_t first, std::size_t end, float factor) {
            for (std::size_t i = 0, kept = 0; i < end * kColumns; ++i) {
                if (w.mask[i] && i >= first * kColumns)
                    w.dense[kept] *= factor;
                kept += w.mask[i];
            }
        };
        const std::vector<Fault> faults{
            {audit::Kind::RowsZeroed,
             int4,
             [](Stored &w) {
                 std::fill(w.codes.begin() + 8 * kColumns, w.codes.begin() + 12 * kColumns, 0);
             },
             {{8, 12}}},
            {audit::Kind::ScalesShifted, int8, [&](Stored &w) { rotate(w.scales, 1); }},
            {audit::Kind::NibblesSwapped, int4, swapPairs},
            {audit::Kind::Transposed, nullptr, nullptr},
            {audit::Kind::ScaleMissing, int8, [](Stored &w) { std::ranges::fill(w.scales, 1.0F); }},
            {audit::Kind::ZeroPointSign, int8Shifted,
             [](Stored &w) {
                 for (int &offset : w.offsets)
                     offset = -offset;
             }},
            {audit::Kind::TablePermuted, palette,
             [](Stored &w) {
                 std::mt19937 random(5);
                 std::shuffle(w.table.begin(), w.table.end(), random);
             }},
            {audit::Kind::GroupOrder, groupedPalette, [&](Stored &w) { rotate(w.table, 16); }},
            {audit::Kind::MaskShifted, sparse,
             [](Stored &w) { std::rotate(w.mask.rbegin(), w.mask.rbegin() + 1, w.mask.rend()); }},
            {audit::Kind::Flipped, nullptr, nullptr},
            {audit::Kind::BlockScale, int4, [](Stored &w) { w.scales[2 * 37 + 1] *= 2; }},
            {audit::Kind::NonFinite, dense, [](Stored &w) { w.dense[3 * kColumns + 5] = NAN; }},
            {audit::Kind::Clipped, int8,
             [this](Stored &w) {
                 for (std::size_t row = 0; row < kRows; ++row) {
                     Values sizes;
                     for (std::size_t i = 0; i < kColumns; ++i)
                         sizes.push_back(std::abs(m_tensors[2][row * kColumns + i]));
                     std::ranges::sort(sizes);
                     w.scales[row] = halfToFloat(floatToHalf(sizes[kColumns - 4] / 127));
                     for (std::size_t i = 0; i < kColumns; ++i)
                         w.codes[row * kColumns + i] = std::clamp(
                             int(std::lround(m_tensors[2][row * kColumns + i] / w.scales[row])),
                             -128, 127);
                 }
             }},
            {audit::Kind::NibblesSwapped, palette, swapPairs},
            {audit::Kind::Scaled, dense,
             [](Stored &w) {
                 for (float &value : w.dense)
                     value *= 3;
             }},
            {audit::Kind::Clipped, int8, // a few elements make all of the error
             [this](Stored &w) {
                 for (std::size_t i = 0; i < 3 * kColumns; ++i) {
                     float &scale = w.scales[i / kColumns];
                     scale *= i % kColumns == 0 ? 0.5F : 1;
                     w.codes[i] = std::clamp(int(std::lround(m_tensors[2][i] / scale)), -128, 127);
                 }
             }},
            {audit::Kind::RowsZeroed,
             sparse, // its mask keeps them
             [&](Stored &w) { multiplyRows(w, 8, 12, 0); },
             {{8, 12}}},
            {audit::Kind::Scaled, sparse, [&](Stored &w) { multiplyRows(w, 0, kRows, 1.2F); }},
            {audit::Kind::OtherValues, twoOfFour,
             [](Stored &w) {
                 std::mt19937_64 random(7);
                 std::normal_distribution<float> noise(0, 0.008F);
                 for (float &value : w.dense)
                     value += noise(random);
             }},
            {audit::Kind::OtherRows,
             sparse,
             [&](Stored &w) { multiplyRows(w, 20, 23, 1.2F); },
             {{20, 23}}},
            {audit::Kind::RowsZeroed,
             int8,
             [](Stored &w) { std::fill(w.scales.begin() + 8, w.scales.begin() + 12, 0.0F); },
             {{8, 12}}},
            {audit::Kind::RowsZeroed,
             manyTables,
             [](Stored &w) { std::fill(w.table.begin() + 32, w.table.begin() + 48, 0.0F); },
             {{8, 12}}},
            {audit::Kind::RowsZeroed,
             int8, // more than a quarter
             [](Stored &w) {
                 std::fill(w.codes.begin() + 8 * kColumns, w.codes.begin() + 36 * kColumns, 0);
             },
             {{8, 36}}},
            {audit::Kind::RowsZeroed,
             sparse,
             [&](Stored &w) { multiplyRows(w, 8, 36, 0); },
             {{8, 36}}},
            {audit::Kind::RowsZeroed,
             palette, // all of them
             [](Stored &w) { std::fill(w.table.begin(), w.table.end(), 0.0F); },
             {{0, kRows}}},
            {audit::Kind::MaskShifted, twoOfFour, [&](Stored &w) { rotate(w.mask, 1); }},
            {audit::Kind::MaskShifted, sparse, [&](Stored &w) { rotate(w.mask, 8); }},
            {audit::Kind::MaskShifted, sparse, [&](Stored &w) { rotate(w.mask, kColumns); }},
            {audit::Kind::MaskShifted, sparse,
             [&](Stored &w) { rotate(w.mask, kRows * kColumns - 2); }},
            {audit::Kind::MaskShifted, sparse, // along the last axis
             [](Stored &w) {
                 for (auto row = w.mask.begin(); row != w.mask.end(); row += kColumns)
                     std::rotate(row, row + kColumns - 1, row + kColumns);
             }},
            {audit::Kind::GroupOrder,
             manyTables,
             [](Stored &w) {
                 std::swap_ranges(w.table.begin() + 48, w.table.begin() + 64,
                                  w.table.begin() + 144);
             },
             {{12, 16}, {36, 40}}},
            {audit::Kind::TablePermuted,
             manyTables,
             [](Stored &w) { std::reverse(w.table.begin() + 48, w.table.begin() + 60); },
             {{12, 16}}},
            {audit::Kind::TablePermuted, palette, // two entries, next to each other
             [](Stored &w) {
                 Values order = w.table;
                 std::sort(order.begin(), order.end());
                 std::iter_swap(std::find(w.table.begin(), w.table.end(), order[9]),
                                std::find(w.table.begin(), w.table.end(), order[10]));
             }},
            {audit::Kind::BlockScale,
             manyTables,
             [](Stored &w) {
                 for (std::size_t i = 48; i < 64; ++i)
                     w.table[i] *= 2;
             },
             {{12, 16}}},
            {audit::Kind::RowsZeroed,
             int4, // one block of a row
             [](Stored &w) { w.scales[2 * 50 + 1] = 0; },
             {{50, 51}}},
            {audit::Kind::Clipped, wholeSparseInt8,
             [this](Stored &w) { w = sparseInt8(m_tensors[2], 0.6F); }},
            {audit::Kind::ZeroPointSign,
             [](const Values &values) { return coded(values, 4, true); }, // blocks
             [](Stored &w) {
                 for (int &offset : w.offsets)
                     offset = std::min(-offset, 7);
             }},
            {audit::Kind::MaskShifted, wholeSparseInt8, [&](Stored &w) { rotate(w.mask, 8); }},
            {audit::Kind::NibblesSwapped,
             [](const Values &values) { return palettised(values, 1, 2); }, // two codes a nibble
             [](Stored &w) {
                 for (auto byte = w.codes.begin(); byte != w.codes.end(); byte += 4)
                     std::swap_ranges(byte, byte + 2, byte + 2);
             }},
            {audit::Kind::TablePermuted,
             [](const Values &values) { return palettised(values, 1, 4, 2); },
             [&](Stored &w) { rotate(w.table, 6); }}, // by three vectors
            {audit::Kind::TablePermuted,
             [](const Values &values) { return palettised(values, 4, 4, 2); },
             [](Stored &w) { std::swap_ranges(&w.table[34], &w.table[36], &w.table[50]); },
             {{16, 32}}}, // two vectors of the second table
        };
        const Fault &fault = faults[std::size_t(number)];
        for (const bool named : {true, false}) {
            std::vector<Stored> weights = stored(fault.make ? fault.make : Make(int8));
            if (fault.kind == audit::Kind::Transposed || fault.kind == audit::Kind::Flipped) {
                Values moved(m_tensors[2].size());
                for (std::size_t i = 0; i < moved.size(); ++i)
                    moved[i] = fault.kind == audit::Kind::Flipped
                                   ? m_tensors[2][moved.size() - 1 - i]
                                   : m_tensors[2][i % kRows * kColumns + i / kRows];
                weights[2] = int8(moved);
            } else {
                fault.change(weights[2]);
            }
            const BundlePtr package = VERIFIED(packageOf(weights, named));
            const auto result = VERIFIED(audit::auditPackage(package, m_checkpoint));
            QVERIFY2(result->faulty.size() == 1, describe(*result).c_str());
            const audit::AuditedWeight &row = result->faulty[0];
            QCOMPARE(row.checkpointName, kNames[2]);
            QVERIFY2(row.fault == fault.kind, describe(*result).c_str());
            if (!fault.rows.empty())
                QVERIFY2(row.rows == fault.rows, describe(*result).c_str());
            if (fault.kind == audit::Kind::BlockScale && fault.rows.empty())
                QVERIFY(row.blocks.size() == 1 && row.blocks[0].row == 37 &&
                        row.blocks[0].block == 1);
            if (fault.kind == audit::Kind::NonFinite)
                QVERIFY(row.elements == (std::vector<std::vector<std::uint64_t>>{{3, 5}}));
        }
    }
};

KERNSCOPE_TEST(TestAudit, NoApplication)
#include "tst_audit.moc"
