// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json_place.h"
#include "tests/test_program.h"

using namespace kernscope;

class TestJsonPlace : public QObject
{
    Q_OBJECT

private slots:
    void faults_data()
    {
        test::addColumns<QByteArray, quint64, QByteArray>();
        test::addRow("a word", QByteArray(R"({"a": nil})"), quint64(7), QByteArray("il}"));
        test::addRow("cut", QByteArray(R"({"a": 1)"), quint64(7), QByteArray("the end"));
        test::addRow("empty", QByteArray(), quint64(0), QByteArray("the end"));
        test::addRow("after the end", QByteArray("{} 1"), quint64(3), QByteArray("1"));
        test::addRow("a control character", QByteArray("{\"a\": \x01}"), quint64(6),
                     QByteArray("\\x01}"));
    }

    void faults()
    {
        const auto [text, offset, there] = test::fetched<QByteArray, quint64, QByteArray>();
        const std::string given = text.toStdString();
        QCOMPARE(quint64(jsonFaultOffset(given)), offset);
        QCOMPARE(QByteArray::fromStdString(jsonTextAt(given, offset)), there);
    }

    void keys()
    {
        const std::string text = R"({"rows": 1, "row": 2})";
        QCOMPARE(jsonKeyOffset(text, "row"), std::uint64_t{12});
        QCOMPARE(jsonKeyOffset(text, "rows"), std::uint64_t{1});
        QCOMPARE(jsonKeyOffset(text, "column"), std::uint64_t{0});
    }
};

KERNSCOPE_TEST(TestJsonPlace, QCoreApplication)
#include "tst_json_place.moc"
