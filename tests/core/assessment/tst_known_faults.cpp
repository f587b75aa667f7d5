// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/known_faults.h"
#include "core/bundle/bundle.h"
#include "made_bundle.h"
#include "tests/test_program.h"

using namespace kernscope;
using namespace kernscope::test;

class TestKnownFaults : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void table()
    {
        std::set<std::string> ids;
        for (const KnownFault &fault : knownFaults()) {
            QVERIFY2(ids.insert(fault.id).second, fault.id.c_str());
            QVERIFY2(!fault.pattern.empty() && !fault.effect.empty() && !fault.source.empty(),
                     fault.id.c_str());
            QVERIFY2(fault.scope == "weight" || fault.scope == "operation" ||
                         fault.scope == "program",
                     fault.id.c_str());
            QVERIFY2(fault.seen == "file" || fault.seen == "pattern" || fault.seen == "checkpoint",
                     fault.id.c_str());
        }
        QVERIFY(ids.size() >= 35);
    }

    void matches()
    {
        const auto idsOf = [](const Bundle &bundle) {
            std::set<std::string> ids;
            for (const KnownFaultMatch &match : matchKnownFaults(bundle)) {
                ids.insert(knownFaults()[match.fault].id);
                const std::string text = knownFaultText(bundle, match);
                if (text.find(knownFaults()[match.fault].source) == std::string::npos)
                    ids.insert("without its source");
            }
            return ids;
        };
        MadeBundle blocks; // int8 in blocks of 32
        blocks.line("tensor<fp16, [4, 64]> w = constexpr_blockwise_shift_scale(data = " +
                    blocks.blob(ElementType::Int8, "[4, 64]", Bytes(256)) +
                    ", scale = " + blocks.blob(ElementType::Fp16, "[4, 2]", Bytes(16)) +
                    ")[name = string(\"w\")]");
        blocks.consume("w");
        QCOMPARE(idsOf(**blocks.open()), (std::set<std::string>{"per-block-int8-engine"}));
        MadeBundle inputs; // a scale for each input
        inputs.line("tensor<fp16, [4, 64]> w = constexpr_blockwise_shift_scale(data = " +
                    inputs.blob(ElementType::Int8, "[4, 64]", Bytes(256)) +
                    ", scale = " + inputs.blob(ElementType::Fp16, "[1, 64]", Bytes(128)) +
                    ")[name = string(\"w\")]");
        inputs.consume("w");
        QCOMPARE(idsOf(**inputs.open()), (std::set<std::string>{"scale-over-inputs"}));
        MadeBundle dense;
        dense.layer("w", "[4, 64]", Bytes(512));
        QVERIFY(idsOf(**dense.open()).empty());
    }
};

KERNSCOPE_TEST(TestKnownFaults, kernscope::test::NoApplication)
#include "tst_known_faults.moc"
