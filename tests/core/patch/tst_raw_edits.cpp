// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/decode/decoder.h"
#include "core/patch/edit/expression.h"
#include "patch_plans.h"
#include "synthetic.h"

#include "core/container/hwx/container.h"
#include "core/patch/plan/raw_place.h"
#include "tests/test_program.h"

/// Edits of bytes that are no value of a weight, of registers, and values that are computed.
class TestRawEdits : public QObject
{
    Q_OBJECT

private slots:
    void expressions_data()
    {
        const auto row = addColumns<QByteArray, double, double>();
        row("w * 0.5", 3, 1.5);
        row("1+2*w-4/2", 3, 5);
        row("-w-1", 3, -4);
        row("2-1-1", 0, 0);
        row("8/4/2", 0, 1);
        row("-(w+1)*2", 3, -8);
        row("clip(w,-1,1)", 3, 1);
        row("clip(w,-1,1)", -3, -1);
        row("max(1e-3,min(w,2))", 0, 1e-3);
        row("round(w)", 2.5, 2);
        row("sign(w)*sqrt(abs(w))", -9, -3);
        row("floor(w)+ceil(w)", 1.5, 3);
        row("log(exp(w))", 2, 2);
        row("w/0", 1, HUGE_VAL);
    }

    void expressions()
    {
        const auto [text, w, value] = fetched<QByteArray, double, double>();
        const std::string typed = text.toStdString();
        const auto expression = VERIFIED(patch::Expression::parse({typed, 0}));
        double result = w;
        expression->apply(std::span(&result, 1));
        QVERIFY(result == value);
    }

    void expressionFaults_data()
    {
        addColumns<QByteArray, qulonglong>();
        const auto row = [](const QByteArray &text, qulonglong offset) {
            addRow(text.left(40), text, offset);
        };
        row("", 0);
        row("w*", 2);
        row("(w", 2);
        row("w)", 1);
        row("w w", 2);
        row("x+1", 0);
        row("clip(w,1)", 8);
        row("abs w", 4);
        row("1..2", 2);
        row(QByteArray(40, '(') + "w" + QByteArray(40, ')'), 32);
        row("w"_ba.append("+w"_ba.repeated(200)), 257);
    }

    void expressionFaults()
    {
        const auto [text, offset] = fetched<QByteArray, qulonglong>();
        const std::string typed = text.toStdString();
        const Error expression = REFUSED(patch::Expression::parse({typed, 0}));
        QCOMPARE(expression.code, "patch.syntax");
        QCOMPARE(qulonglong(expression.offset->value), offset);
    }

    void computesEveryElement()
    {
        const BundlePtr bundle = sample("dense-fp16");
        const auto before = VERIFIED(bundle->decoder(0));
        std::vector<float> was(64), now(64);
        before->decodeFloat(0, was);
        const auto edits = VERIFIED(plan(bundle, "compute w[0:4,:]=-w*2"));
        QCOMPARE(edits->front().elements, 32U);
        const BundlePtr after = applyAll(bundle, *edits);
        after->decoder(0)->decodeFloat(0, now);
        for (std::size_t i = 0; i < 64; ++i)
            QCOMPARE(now[i], i < 32 ? -was[i] * 2 : was[i]);
        QVERIFY(plan(after, "compute w=w")->front().bytes.empty());
    }

    void refusesWhatTheFormCannotHold()
    {
        const Error edits = REFUSED(plan(sample("dense-fp16"), "compute w=w+1e9"));
        QVERIFY(!edits.message.empty());
    }

    void changesAndTakesBackBytes()
    {
        const BundlePtr bundle = sample("dense-fp16");
        const auto before = contentOf(*bundle);
        const auto edits = VERIFIED(plan(bundle, "bytes weights/weight.bin+0x20=01 02"));
        QCOMPARE(edits->front().oldText, "00 00");
        QCOMPARE(edits->front().newText, "01 02");
        QVERIFY(edits->front().breaks.empty());
        BundlePtr after = applyAll(bundle, *edits);
        QVERIFY(contentOf(*after) != before);
        after = *revertEdit(after, edits->front());
        QVERIFY(contentOf(*after) == before);
    }

    /// The sentinel of a record: its weight no longer reads.
    void saysWhatBreaks()
    {
        const auto edits = VERIFIED(plan(sample("dense-fp16"), "bytes weights/weight.bin+0x40=00"));
        QVERIFY(!edits->front().breaks.empty());
        QVERIFY(edits->front().note.find("breaks: ") != std::string::npos);
    }

    /// Stored numbers, byte by byte: the weight reads what was typed, nothing else is changed.
    void changesBytesOfWeights()
    {
        const BundlePtr bundle = sample("dense-fp16");
        const auto before = contentOf(*bundle);
        // The last byte of padding and the first two of the weight.
        for (const auto &[text, tables] : {std::pair("bytes weights/weight.bin+0x80=00 3c", false),
                                           {"bytes weights/weight.bin+0x7f=00 00 3c", true}}) {
            const auto edits = VERIFIED(plan(bundle, text));
            QCOMPARE(edits->front().tables, tables);
            QVERIFY(edits->front().breaks.empty());
            BundlePtr after = applyAll(bundle, *edits);
            float value = 0;
            after->decoder(0)->decodeFloat(0, std::span(&value, 1));
            QCOMPARE(value, 1.0F);
            QVERIFY(contentOf(**revertEdit(after, edits->front())) == before);
        }
    }

    /// Other bytes would have to change with it.
    void refusesBytesOfMasks()
    {
        const BundlePtr bundle = sample("sparse");
        for (const Section &section : bundle->sections()) {
            if (section.kind != SectionKind::Mask)
                continue;
            const Error edits =
                REFUSED(plan(bundle, "bytes " + bundle->files()[section.file].path + "+" +
                                         std::to_string(section.range.offset.value) + "=00"));
            QCOMPARE(edits.code, "patch.weight");
            const std::string text = describe(edits);
            QVERIFY2(text.find("kept or dropped") != std::string::npos, text.c_str());
            QVERIFY2(text.find("bytes weights") == std::string::npos, text.c_str());
            return;
        }
        QFAIL("the sample has no mask");
    }

    void refusesBytesPastTheEnd()
    {
        const BundlePtr bundle = sample("dense-fp16");
        QCOMPARE(plan(bundle, "bytes weights/weight.bin+0xffffff=00").error().code, "patch.index");
        QCOMPARE(plan(bundle, "bytes nothing.bin+0x0=00").error().code, "patch.file");
    }

    void changesAField()
    {
        const BundlePtr bundle = hardware();
        QVERIFY(bundle && bundle->hardware());
        const auto &text = bundle->hardware()->texts.front();
        const auto section = bundle->hardware()->section(text.section);
        const FileOffset header(section->bytes->offset.value + text.tasks->tasks[0].offset);
        const auto path =
            VERIFIED(patch::fieldPathAt(*bundle, 0, 0, FileOffset(header.value + 6), 0U));
        QCOMPARE(*path, "task[0]/Header/Header[1]/NextSize");
        QCOMPARE(*patch::fieldPathAt(*bundle, 0, 0, header, std::nullopt),
                 "task[0]/Header/Header[0]");
        QVERIFY(!patch::fieldPathAt(*bundle, 0, 0, FileOffset(0), std::nullopt));
        const auto edits = VERIFIED(plan(bundle, "field task[0]/Header/Header[2]/LogEvents=5"));
        QCOMPARE(edits->front().newText, "5");
        for (const FileEdit &run : edits->front().bytes)
            QVERIFY(run.offset.value >= header.value + 8 && run.offset.value < header.value + 12);
    }

    void refusesFields_data()
    {
        const auto row = addColumns<QByteArray, QByteArray>();
        row("task[0]/Header/Header[1]/NextSize=512", "patch.unrepresentable");
        row("task[0]/Header/Header[1]/NextSize=-1", "patch.unrepresentable");
        row("task[0]/Header/Header[1]/Nothing=1", "patch.field");
        row("task[99999]/Header/Header[1]=1", "patch.field");
        row("task[7,0]/Header/Header[1]=1", "patch.field");
        row("task[x]/Header/Header[1]=1", "patch.field");
        row("Header/Header[1]=1", "patch.field");
    }

    void refusesFields()
    {
        const auto [text, code] = fetched<QByteArray, QByteArray>();
        QCOMPARE(REFUSED(plan(hardware(), "field " + text.toStdString())).code, code.toStdString());
    }

private:
    BundlePtr hardware()
    {
        const Bytes bytes = syntheticH13();
        QFile file(m_folder.filePath(u"synthetic.hwx"_s));
        if (!file.open(QIODevice::WriteOnly))
            return nullptr;
        file.write(reinterpret_cast<const char *>(bytes.data()), qint64(bytes.size()));
        file.close();
        return *Bundle::open(file.fileName().toStdString());
    }

    QTemporaryDir m_folder;
};

KERNSCOPE_TEST(TestRawEdits, QCoreApplication)
#include "tst_raw_edits.moc"
