// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json_place.h"
#include "tests/test_program.h"

#include <QTest>

using namespace kernscope;

class TestJsonPlace : public QObject
{
    Q_OBJECT

private slots:
    void faults_data();
    void faults();
    void keys();
};

void TestJsonPlace::faults_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<quint64>("offset");
    QTest::addColumn<QByteArray>("there");
    QTest::newRow("a word") << QByteArray(R"({"a": nil})") << quint64(7) << QByteArray("il}");
    QTest::newRow("cut") << QByteArray(R"({"a": 1)") << quint64(7) << QByteArray("the end");
    QTest::newRow("empty") << QByteArray() << quint64(0) << QByteArray("the end");
    QTest::newRow("after the end") << QByteArray("{} 1") << quint64(3) << QByteArray("1");
    QTest::newRow("a control character")
        << QByteArray("{\"a\": \x01}") << quint64(6) << QByteArray("\\x01}");
}

void TestJsonPlace::faults()
{
    QFETCH(QByteArray, text);
    QFETCH(quint64, offset);
    QFETCH(QByteArray, there);
    const std::string given = text.toStdString();
    QCOMPARE(quint64(jsonFaultOffset(given)), offset);
    QCOMPARE(QByteArray::fromStdString(jsonTextAt(given, offset)), there);
}

void TestJsonPlace::keys()
{
    const std::string text = R"({"rows": 1, "row": 2})";
    QCOMPARE(jsonKeyOffset(text, "row"), std::uint64_t{12});
    QCOMPARE(jsonKeyOffset(text, "rows"), std::uint64_t{1});
    QCOMPARE(jsonKeyOffset(text, "column"), std::uint64_t{0});
}

KERNSCOPE_TEST(TestJsonPlace, QCoreApplication)
#include "tst_json_place.moc"
