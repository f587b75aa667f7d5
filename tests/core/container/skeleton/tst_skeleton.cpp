// SPDX-License-Identifier: GPL-3.0-or-later
// The container to copy: its tables. What its reader promises holds tst_container_contract.
#include "core/container/skeleton/skeleton.h"
#include "tests/test_program.h"

class TestSkeleton : public QObject
{
    Q_OBJECT

private slots:
    void reads()
    {
        const QByteArray raw("SKEL\x02\x00\x00\x3c\x00\x40", 10);
        const auto bytes = std::as_bytes(std::span(raw.constData(), std::size_t(raw.size())));
        const auto tables = VERIFIED(skeleton::readSkeleton(bytes, "x.skel"));
        QCOMPARE(tables->numbers, std::uint16_t(2));
        QCOMPARE(tables->payload.offset.value, 6U);
        const auto written = skeleton::writeSkeleton(*tables, bytes);
        QVERIFY(written &&
                std::equal(written->begin(), written->end(), bytes.begin(), bytes.end()));
        QCOMPARE(skeleton::writeSkeleton(*tables, bytes.first(9)).error().code, "skeleton.write");
    }

    void refuses_data()
    {
        const auto row = addColumns<QByteArray, QByteArray>();
        row("empty", {}, "skeleton.header");
        row("another file", QByteArray("SKIL\x00\x00", 6), "skeleton.header");
        row("no count", QByteArray("SKEL\x00", 5), "skeleton.header");
        row("cut", QByteArray("SKEL\x02\x00\x00\x3c\x00", 9), "skeleton.size");
        row("too long", QByteArray("SKEL\x01\x00\x00\x3c\x00", 9), "skeleton.size");
    }

    void refuses()
    {
        const auto [raw, code] = fetched<QByteArray, QByteArray>();
        const auto bytes = std::as_bytes(std::span(raw.constData(), std::size_t(raw.size())));
        const Error tables = REFUSED(skeleton::readSkeleton(bytes, "x.skel"));
        QCOMPARE(QByteArray::fromStdString(tables.code), code);
        QCOMPARE(tables.file, "x.skel");
        QVERIFY(tables.offset);
    }
};

KERNSCOPE_TEST(TestSkeleton, QCoreApplication)
#include "tst_skeleton.moc"
