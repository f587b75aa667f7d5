// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/csv.h"
#include "core/format/catalogue.h"
#include "core/format/table_rows.h"
#include "tests/test_program.h"

class TestTables : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void parsesQuotedCells()
    {
        const auto table =
            VERIFIED(CsvTable::parse("a,b\n\"x, y\",\"he said \"\"no\"\"\"\n,\n", "t"));
        QCOMPARE(table->rows(), std::size_t(2));
        QCOMPARE(table->cell(0, "a"), std::string_view("x, y"));
        QCOMPARE(table->cell(0, "b"), std::string_view("he said \"no\""));
        QCOMPARE(table->cell(1, "b"), std::string_view());
    }

    void refusesRaggedRows()
    {
        const Error table = REFUSED(CsvTable::parse("a,b\n1\n", "t"));
        QCOMPARE(table.code, "csv.columns");
        QCOMPARE(table.offset->value, std::uint64_t(2));
    }

    void parsesNumbers_data()
    {
        const auto row = test::addColumns<QByteArray, bool, qint64>();
        row("decimal", "12", true, 12);
        row("hex", "0x48f", true, qint64(0x48f));
        row("negative", "-3", true, qint64(-3));
        row("empty", "", false, 0);
        row("blank tail", "1 ", false, 0);
        row("two signs", "--1", false, 0);
        row("too large", "99999999999999999999", false, 0);
    }
    void parsesNumbers()
    {
        const auto [text, valid, value] = test::fetched<QByteArray, bool, qint64>();
        const auto parsed = parseInteger(std::string_view(text.constData(), size_t(text.size())));
        QCOMPARE(parsed.has_value(), valid);
        if (valid)
            QCOMPARE(qint64(*parsed), value);
    }

    void embedsTheTables()
    {
        const auto table = VERIFIED(tables::load("kernel_formats"));
        QVERIFY(table->column("source") && table->column("confidence"));
        QCOMPARE(table->cell(0, "code"), std::string_view("1"));
    }

    /// Of what sources disagree on, one reading is followed, and another stands beside it.
    void everyTopicFollowsOneReading()
    {
        std::map<std::string, std::pair<int, int>> topics;
        for (const format::Reading &reading : format::readings()) {
            ++topics[reading.topic].first;
            topics[reading.topic].second += reading.taken ? 1 : 0;
            QVERIFY(!reading.text.empty() && !reading.source.empty());
        }
        QVERIFY(topics.size() >= 9);
        for (const auto &[topic, counts] : topics)
            QVERIFY2(counts.first >= 2 && counts.second == 1, topic.c_str());
        QVERIFY(format::readingsOf("no_such_topic").empty());
        QCOMPARE(format::readingsAbout("tquant").size(), std::size_t(8));
        for (const char *topic : {"format_codes", "int8_large_batch", "tquant_offset",
                                  "tquant_chain", "blocks_on_the_engine", "palette_channel_scale",
                                  "palette2_on_the_m1", "e4m3_on_the_m5"})
            QVERIFY2(format::readingsOf(topic).size() >= 2, topic);
        // What is quoted stands in a source as it is; what is not is said in other words.
        QVERIFY(format::engineNotes("fp8").size() >= 6 && format::engineNotes("none").empty());
        QCOMPARE(format::fp8Formats().size(), std::size_t(2));
        QCOMPARE(format::fp8Formats()[0].largest, 448U);
    }

    void namesAnUnknownTable()
    {
        const Error table = REFUSED(tables::load("no_such_table"));
        QCOMPARE(table.code, "table.name");
    }
};

KERNSCOPE_TEST(TestTables, QCoreApplication)
#include "tst_tables.moc"
