// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/edit/literal_rewrite.h"

#include "core/numeric/half.h"
#include "tests/test_program.h"

namespace {

QByteArray applied(QByteArray text, const patch::Rewrite &rewrite)
{
    return text.replace(qsizetype(rewrite.offset), qsizetype(rewrite.bytes.size()),
                        QByteArray::fromStdString(rewrite.bytes));
}

} // namespace

/// Numbers of the program written anew in the room that they have.
class TestLiteralRewrite : public QObject
{
    Q_OBJECT

private slots:
    /// Every fp16 number but the NaNs with a payload has a notation, and all of them read back.
    void everyHalfReadsBack()
    {
        std::size_t without = 0;
        for (unsigned code = 0; code < 0x10000; ++code) {
            const auto texts = patch::notations(ElementType::Fp16, code);
            without += texts.empty();
            for (const std::string &text : texts) {
                const bool negative = text.front() == '-';
                const bool hex = text.find("0x") != std::string::npos;
                const char *from = text.data() + (negative ? 1 : 0) + (hex ? 2 : 0);
                double value = 0;
                const auto [end, fault] =
                    std::from_chars(from, text.data() + text.size(), value,
                                    hex ? std::chars_format::hex : std::chars_format::general);
                QVERIFY(fault == std::errc() && end == text.data() + text.size());
                const double whole = negative ? -value : value;
                QCOMPARE(unsigned{doubleToHalf(whole)}, code);
                QCOMPARE(unsigned{floatToHalf(float(whole))}, code);
                QVERIFY2(text.size() <= 12, text.c_str());
            }
        }
        QCOMPARE(without, std::size_t{2 * 1023 - 1}); // NaNs but the one that is written "nan"
    }

    void known_data()
    {
        const auto row = addColumns<ElementType, qlonglong, QByteArrayList>();
        row("half", ElementType::Fp16, 0xb91f, {"-0x1.47cp-1", "-0.64"});
        row("zero", ElementType::Fp16, 0, {"0x0p+0", "0"});
        row("minus zero", ElementType::Fp16, 0x8000, {"-0x0p+0", "-0"});
        row("one", ElementType::Fp16, 0x3c00, {"0x1p+0", "1"});
        row("tiny", ElementType::Fp16, 1, {"0x1p-24", "6e-8"});
        row("infinity", ElementType::Fp16, 0xfc00, {"-inf"});
        row("float", ElementType::Fp32, 0x3dcccccd, {"0x1.99999ap-4", "0.1"});
        row("uint8", ElementType::Uint8, 200, {"200"});
        row("int8", ElementType::Int8, -128, {"-128"});
        row("int4", ElementType::Int4, -8, {"-8"});
        row("uint64", ElementType::Uint64, -1, {"18446744073709551615"});
    }

    void known()
    {
        const auto [type, code, texts] = fetched<ElementType, qlonglong, QByteArrayList>();
        QByteArrayList found;
        for (const std::string &text : patch::notations(type, code))
            found << QByteArray::fromStdString(text);
        QCOMPARE(found, texts);
    }

    void tokens_data()
    {
        // expected: empty: no room
        const auto row = addColumns<QByteArray, QByteArray, QByteArray, QByteArray>();
        row("same length", "f([0x1p+0, 0x1p-1])", "0x1p+0", "0x1p+9", "f([0x1p+9, 0x1p-1])");
        row("shorter", "f([0x1p+0, 2])", "0x1p+0", "1", "f([1     , 2])");
        row("uses what a shorter one left", "f([1     , 2])", "1", "0x1p+1", "f([0x1p+1, 2])");
        row("behind the comma", "f([1, 2])", "1", "10", "f([10,2])");
        row("before the bracket", "t<fp16, [9999]>(B(", "9999", "10000", "t<fp16,[10000]>(B(");
        row("behind the brackets", "t<f,[99]> w", "99", "100", "t<f,[100]>w");
        row("two words stay apart", "a 9 b", "9", "10", "");
        row("no room", "f(9)", "9", "10", "");
        row("not out of a string", "f(\" \",9,\" \")", "9", "10", "");
    }

    void tokens()
    {
        const auto [text, old, token, expected] =
            fetched<QByteArray, QByteArray, QByteArray, QByteArray>();
        const mil::SourceSpan span{std::uint64_t(text.indexOf(old)), std::uint64_t(old.size())};
        const auto rewrite = patch::rewriteToken(asSpan(text), span, token.toStdString());
        QCOMPARE(rewrite.has_value(), !expected.isEmpty());
        if (rewrite) {
            QCOMPARE(applied(text, *rewrite), expected);
            QCOMPARE(expected.size(), text.size());
        }
        QVERIFY(!patch::rewriteToken(asSpan(text), {1000, 1}, "1"));
        QVERIFY(!patch::rewriteToken(asSpan(text), {UINT64_MAX, 2}, "1"));
    }

    void varints_data()
    {
        addColumns<QByteArray, qulonglong, qulonglong, QByteArray>();
        const auto row = [](const char *name, const char *wire, qulonglong before, qulonglong after,
                            const char *expected) {
            addRow(name, QByteArray::fromHex(wire), before, after, QByteArray::fromHex(expected));
        };
        row("same length", "8650", 10246, 10245, "8550");
        row("padded", "8001", 128, 127, "ff00");
        row("padded twice", "808001", 16384, 5, "858000");
        row("longer", "7f", 127, 128, "");
        row("padded before", "ff00", 127, 128, "8001");
        row("another number", "7f", 126, 125, "");
        row("cut", "ff", 127, 126, "");
    }

    void varints()
    {
        const auto [wire, before, after, expected] =
            fetched<QByteArray, qulonglong, qulonglong, QByteArray>();
        const mil::SourceSpan span{0, std::uint64_t(wire.size())};
        const auto rewrite = patch::rewriteVarint(asSpan(wire), span, before, after);
        QCOMPARE(rewrite.has_value(), !expected.isEmpty());
        if (rewrite)
            QCOMPARE(applied(wire, *rewrite), expected);
    }

    void extents()
    {
        const auto text = patch::rewriteExtent(asSpan("[5]"), {1, 1}, 5, 4);
        QVERIFY(text && text->bytes == "4");
        const auto wire = patch::rewriteExtent(asSpan("[5]"), {1, 1}, '5', '4');
        QVERIFY(wire && wire->bytes == "4");
        QVERIFY(!patch::rewriteExtent(asSpan("[5]"), {1, 1}, 6, 4));
    }
};

KERNSCOPE_TEST(TestLiteralRewrite, NoApplication)
#include "tst_literal_rewrite.moc"
