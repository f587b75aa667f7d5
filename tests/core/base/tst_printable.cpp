// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json_place.h"
#include "core/base/text.h"
#include "tests/test_program.h"

class TestPrintable : public QObject
{
    Q_OBJECT

private slots:
    void shown_data()
    {
        const auto row = addColumns<QByteArray, QByteArray>();
        row("plain", "conv1_weight", "conv1_weight");
        row("other scripts", "Größe 重み 🧠 שם", "Größe 重み 🧠 שם");
        row("escape", "a\x1b[31mb", "a\\x1b[31mb");
        row("lines", "a\nb\tc\rd", "a\\nb\\tc\\rd");
        row("nul", QByteArray("a\0b", 3), "a\\x00b");
        row("delete", "a\x7f", "a\\x7f");
        row("one-byte CSI as UTF-8",
            "a\xc2\x9b"
            "31m",
            "a\\u009b31m");
        row("one-byte CSI raw",
            "a\x9b"
            "31m",
            "a\\x9b31m");
        row("override",
            "a\xe2\x80\xae"
            "b",
            "a\\u202eb");
        row("isolate", "\xe2\x81\xa6x\xe2\x81\xa9", "\\u2066x\\u2069");
        row("arabic letter mark", "\xd8\x9c", "\\u061c");
        row("zero width",
            "a\xe2\x80\x8b"
            "b\xef\xbb\xbf",
            "a\\u200bb\\ufeff");
        row("line separator", "\xe2\x80\xa8", "\\u2028");
        row("tags", "\xf3\xa0\x81\x81", "\\U000e0041");
        row("no UTF-8", "a\xff\xfe", "a\\xff\\xfe");
        row("cut short", "a\xe2\x80", "a\\xe2\\x80");
        row("overlong", "\xc0\x9b", "\\xc0\\x9b");
        row("surrogate", "\xed\xa0\x80", "\\xed\\xa0\\x80");
        row("above the last", "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80");
    }

    void shown()
    {
        const auto [text, expected] = fetched<QByteArray, QByteArray>();
        QCOMPARE(QByteArray::fromStdString(printable(text.toStdString())), expected);
    }

    void lines() { QCOMPARE(printableLines("a\n\tb\r\x1b"), "a\n\tb\\r\\x1b"); }

    void json()
    {
        QCOMPARE(printableJson("{\"a\":\n\"b\"}"), "{\"a\":\n\"b\"}");
        QCOMPARE(printableJson("\"é\xc2\x9b\xe2\x80\xae\x7f\""), "\"é\\u009b\\u202e\\u007f\"");
        QCOMPARE(printableJson("\"\xf3\xa0\x81\x81\""), "\"\\udb40\\udc41\"");
    }

    void faults_data()
    {
        const auto row = addColumns<QByteArray, quint64, QByteArray>();
        row("a word", R"({"a": nil})", 7, "il}");
        row("cut", R"({"a": 1)", 7, "the end");
        row("empty", {}, 0, "the end");
        row("after the end", "{} 1", 3, "1");
        row("a control character", "{\"a\": \x01}", 6, "\\x01}");
    }

    void faults()
    {
        const auto [text, offset, there] = fetched<QByteArray, quint64, QByteArray>();
        const std::string given = text.toStdString();
        QCOMPARE(quint64(jsonFaultOffset(given)), offset);
        QCOMPARE(QByteArray::fromStdString(jsonTextAt(given, offset)), there);
    }

    void keys()
    {
        const std::string text = R"({"rows": 1, "row": 2})";
        QCOMPARE(jsonKeyOffset(text, "row"), 12U);
        QCOMPARE(jsonKeyOffset(text, "rows"), 1U);
        QCOMPARE(jsonKeyOffset(text, "column"), 0U);
    }
};

KERNSCOPE_TEST(TestPrintable, QCoreApplication)
#include "tst_printable.moc"
