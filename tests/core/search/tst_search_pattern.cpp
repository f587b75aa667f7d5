// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/pattern.h"
#include "tests/test_program.h"

using namespace kernscope;
using namespace kernscope::search;

namespace {

QByteArray bytesOf(const std::vector<std::byte> &bytes)
{
    return QByteArray(reinterpret_cast<const char *>(bytes.data()), qsizetype(bytes.size()))
        .toHex();
}

} // namespace

/// What one types, as bytes to look for.
class TestSearchPattern : public QObject
{
    Q_OBJECT

private slots:
    void bytes_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QByteArray>("value");
        QTest::addColumn<QByteArray>("mask");
        const auto row = [](const char *text, const char *value, const char *mask) {
            test::addRow(text, QString::fromLatin1(text), QByteArray(value), QByteArray(mask));
        };
        row("ef be ad de", "efbeadde", "ffffffff");
        row("EFBEADDE", "efbeadde", "ffffffff");
        row("0xef, 0xbe", "efbe", "ffff");
        row("ef ?? de", "ef00de", "ff00ff");
        row("e? ?f", "e00f", "f00f");
        row("\tef\nbe ", "efbe", "ffff");
    }

    void bytes()
    {
        QFETCH(QString, text);
        const auto pattern = VERIFIED(parseBytePattern(text.toStdString()));
        QTEST(bytesOf(pattern->value), "value");
        QTEST(bytesOf(pattern->mask), "mask");
    }

    void noBytes_data()
    {
        QTest::addColumn<QString>("text");
        for (const char *text : {"", " ", "e", "ef b", "0x", "ef be z0", "??", "?? ??", "ef-be"})
            test::addRow(*text ? text : "(empty)", QString::fromLatin1(text));
    }

    void noBytes()
    {
        QFETCH(QString, text);
        const Error pattern = REFUSED(parseBytePattern(text.toStdString()));
        QCOMPARE(pattern.code, "search.pattern");
        QVERIFY(!pattern.expected.empty());
    }

    void integers_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<uint>("width");
        QTest::addColumn<bool>("big");
        QTest::addColumn<QByteArray>("value");
        const auto row = [](const char *text, uint width, bool big, const char *value) {
            QTest::addRow("%s as %u%s", text, width, big ? " big" : "")
                << QString::fromLatin1(text) << width << big << QByteArray(value);
        };
        row("1", 1, false, "01");
        row("255", 1, false, "ff");
        row("-1", 1, false, "ff");
        row("-128", 1, false, "80");
        row("258", 2, false, "0201");
        row("258", 2, true, "0102");
        row("0xdeadbeef", 4, false, "efbeadde");
        row("0xdeadbeef", 4, true, "deadbeef");
        row("-2", 4, false, "feffffff");
        row("18446744073709551615", 8, false, "ffffffffffffffff");
        row("-9223372036854775808", 8, false, "0000000000000080");
        row("+7", 2, true, "0007");
    }

    void integers()
    {
        QFETCH(QString, text);
        QFETCH(uint, width);
        QFETCH(bool, big);
        const auto pattern = VERIFIED(integerPattern(text.toStdString(), width, big));
        QTEST(bytesOf(pattern->value), "value");
        QCOMPARE(bytesOf(pattern->mask), QByteArray(qsizetype(width) * 2, 'f'));
    }

    void noIntegers_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<uint>("width");
        QTest::addColumn<QString>("code");
        const auto row = [](const char *text, uint width, const char *code) {
            QTest::addRow("%s as %u", text, width)
                << QString::fromLatin1(text) << width << QString::fromLatin1(code);
        };
        for (const char *text : {"", "-", "0x", "1.5", "1 2", "ten", "18446744073709551616", "--1"})
            row(text, 8, "search.pattern");
        row("256", 1, "search.width");
        row("-129", 1, "search.width");
        row("65536", 2, "search.width");
        row("-9223372036854775809", 8, "search.width");
        row("1", 3, "search.width");
        row("1", 0, "search.width");
    }

    void noIntegers()
    {
        QFETCH(QString, text);
        QFETCH(uint, width);
        const Error pattern = REFUSED(integerPattern(text.toStdString(), width, false));
        QTEST(QString::fromStdString(pattern.code), "code");
    }

    void texts()
    {
        QCOMPARE(bytesOf(textPattern("A\xc3\xa9")->value), QByteArray("41c3a9"));
        QVERIFY(!textPattern(""));
    }

    void fits()
    {
        const auto pattern = VERIFIED(parseBytePattern("a? ?? 0c"));
        const std::vector<std::byte> good{std::byte{0xAF}, std::byte{0x33}, std::byte{0x0C}};
        std::vector<std::byte> bad = good;
        bad[2] = std::byte{0x1C};
        QVERIFY(pattern->fits(good));
        QVERIFY(!pattern->fits(bad));
    }
};

KERNSCOPE_TEST(TestSearchPattern, kernscope::test::NoApplication)
#include "tst_search_pattern.moc"
