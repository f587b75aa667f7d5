// SPDX-License-Identifier: GPL-3.0-or-later
// The container to copy: its tables. What its reader promises holds tst_container_contract.
#include "core/container/skeleton/skeleton.h"
#include "tests/test_program.h"

#include <QTest>

using namespace kernscope;

class TestSkeleton : public QObject
{
    Q_OBJECT

private slots:
    void reads();
    void refuses_data();
    void refuses();
};

void TestSkeleton::reads()
{
    const QByteArray raw("SKEL\x02\x00\x00\x3c\x00\x40", 10);
    const auto bytes = std::as_bytes(std::span(raw.constData(), std::size_t(raw.size())));
    const auto tables = skeleton::readSkeleton(bytes, "x.skel");
    QVERIFY(tables);
    QCOMPARE(tables->numbers, std::uint16_t(2));
    QCOMPARE(tables->payload.offset.value, std::uint64_t(6));
    const auto written = skeleton::writeSkeleton(*tables, bytes);
    QVERIFY(written && std::equal(written->begin(), written->end(), bytes.begin(), bytes.end()));
    QCOMPARE(skeleton::writeSkeleton(*tables, bytes.first(9)).error().code,
             std::string("skeleton.write"));
}

void TestSkeleton::refuses_data()
{
    QTest::addColumn<QByteArray>("raw");
    QTest::addColumn<QByteArray>("code");
    QTest::newRow("empty") << QByteArray() << QByteArray("skeleton.header");
    QTest::newRow("another file") << QByteArray("SKIL\x00\x00", 6) << QByteArray("skeleton.header");
    QTest::newRow("no count") << QByteArray("SKEL\x00", 5) << QByteArray("skeleton.header");
    QTest::newRow("cut") << QByteArray("SKEL\x02\x00\x00\x3c\x00", 9)
                         << QByteArray("skeleton.size");
    QTest::newRow("too long") << QByteArray("SKEL\x01\x00\x00\x3c\x00", 9)
                              << QByteArray("skeleton.size");
}

void TestSkeleton::refuses()
{
    QFETCH(QByteArray, raw);
    QFETCH(QByteArray, code);
    const auto bytes = std::as_bytes(std::span(raw.constData(), std::size_t(raw.size())));
    const auto tables = skeleton::readSkeleton(bytes, "x.skel");
    QVERIFY(!tables);
    QCOMPARE(QByteArray::fromStdString(tables.error().code), code);
    QCOMPARE(tables.error().file, std::string("x.skel"));
    QVERIFY(tables.error().offset);
}

KERNSCOPE_TEST(TestSkeleton, QCoreApplication)
#include "tst_skeleton.moc"
