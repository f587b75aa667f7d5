// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/json_table.h"
#include "tests/core/report/declared_tables.h"
#include "tests/test_program.h"

using namespace kernscope::report;

namespace {

struct Made {
    std::string name;
    std::uint64_t bytes = 0;
    std::optional<double> ratio;
};

const TableOf<Made> &madeTable()
{
    static const TableOf<Made> kTable{
        "made",
        {{kName, "name", "weight", "Its name", [](const Made &row) -> Value { return row.name; }},
         {kNumber, "bytes", "stored", "Stored bytes",
          [](const Made &row) -> Value { return Count(row.bytes); }, withUnit("B")},
         {kNumber, "ratio", "ratio", "To dense",
          [](const Made &row) { return known<Ratio>(row.ratio); }, unknownAs("unknown")},
         {kDocument, "large", "large", "Only where it is",
          [](const Made &row) -> Value {
              return row.bytes > 1000 ? Value(true) : Value(Absent());
          }}},
        {"bytes"}};
    return kTable;
}

const std::vector<Made> kRows{{"a,b", 1234567, 0.47941}, {"c", 12, std::nullopt}};

} // namespace

/// One declaration of a column makes text, CSV and JSON.
class TestColumns : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void textCsvAndJsonOfOneDeclaration()
    {
        const std::vector<std::string> lines = textTable(madeTable(), kRows).lines(0);
        QCOMPARE(lines.size(), 3U);
        QCOMPARE(lines[0], "  weight   stored B    ratio");
        QCOMPARE(lines[1], "  a,b     1,234,567    0.479");
        QCOMPARE(lines[2], "  c              12  unknown");
        QCOMPARE(csvText(madeTable(), kRows),
                 "name,bytes,ratio,large\n\"a,b\",1234567,0.47941,yes\nc,12,,\n");
        QCOMPARE(jsonArray(madeTable(), kRows).dump(),
                 "[{\"bytes\":1234567,\"name\":\"a,b\",\"ratio\":0.47941,\"large\":"
                 "true},{\"bytes\":12,\"name\":\"c\",\"ratio\":null}]");
    }

    void titlesMayBeOthers()
    {
        const auto lines = textTable(madeTable(), kRows, {{"ratio", "on M1"}}).lines(0);
        QVERIFY(QString::fromStdString(lines[0]).endsWith(u"on M1"_s));
    }

    void numbersAreWrittenOneWay()
    {
        QCOMPARE(text(Count{18446744073709551615ULL}), "18,446,744,073,709,551,615");
        QCOMPARE(text(Code{1234}), "1234");
        QCOMPARE(text(Hex{0x2b080, 8}), "0x0002b080");
        QCOMPARE(text(Ratio{0.4794}), "0.479");
        QCOMPARE(text(Ratio{std::nan("")}, "unknown"), "unknown");
        QCOMPARE(text(Percent{0.583}), "58.3 %");
        QCOMPARE(text(Real{0.000123456, 4, true}), "0.0001235");
        QCOMPARE(text(Real{-0.004, 2}), "0.00"); // what is rounded to zero has no sign
        QCOMPARE(text(Real{-0.0, 3, true}), "0");
        QCOMPARE(text(Real{-0.04, 2}), "-0.04");
        QCOMPARE(text(Word{"refused", Mark::Bad, "index width"}), "refused: index width");
        QCOMPARE(text(List{"a", "b"}), "a, b");
        QCOMPARE(text(Unknown()), "-");
        QCOMPARE(text(Nothing()), std::string());
        QCOMPARE(plainText(Count{1234567}), "1234567");
        QCOMPARE(plainText(Unknown()), std::string());
        QCOMPARE(bytesText(82944), "82,944 B (81.0 KiB)");
    }

    void jsonIsExact()
    {
        QCOMPARE(json(Count{18446744073709551615ULL}).dump(), "\"18446744073709551615\"");
        QCOMPARE(json(Hex{16}).dump(), "16");
        QVERIFY(json(Real{std::numeric_limits<double>::infinity()}).is_null());
        QVERIFY(json(Unknown()).is_null());
        QCOMPARE(json(List{"a"}).dump(), "[\"a\"]");
    }

    void whatIsNotKnownSortsFirst()
    {
        QVERIFY(sortValue(Unknown()) < sortValue(Count{0}));
        QVERIFY(sortValue(Count{9}) < sortValue(Count{10}));
        QVERIFY(sortValue(Ratio{std::nan("")}) < sortValue(Ratio{-1}));
        QVERIFY(sortValue(View("a")) < sortValue(std::string("b")));
    }

    void csvIsQuoted()
    {
        QCOMPARE(csvField("a\"b"), "\"a\"\"b\"");
        QCOMPARE(csvField("=1+1"), "'=1+1");
        for (const char *formula : {"+1+1", "-2+3", "-1-1", "--1", "+-1", "-e", "@x", "-", "\t=1"})
            QCOMPARE(csvField(formula), '\'' + std::string(formula));
        for (const char *number : {"-1.5", "+7", "-inf", "-1e-05", "12", ""})
            QCOMPARE(csvField(number), std::string(number));
    }

    /// A sum that lacks terms says so in the same words everywhere; one of no term is not known.
    void sumsThatAreNotWhole()
    {
        const auto moved = [](std::uint64_t bytes, std::size_t open) {
            TargetTotals totals;
            totals.bytesMoved = bytes;
            totals.movedOpen = open;
            const auto &column = targetTotalsTable.columns.back();
            return text(column.value(totals), column.unknown);
        };
        QCOMPARE(moved(5120, 0), "5,120");
        QCOMPARE(moved(5120, 3), "at least 5,120 (+ 3 not known)");
        QCOMPARE(moved(0, 3), "?");
    }

    /// Scales of microscaled weights are powers of two and nothing else; 255 stands for none.
    void exponentsOfMicroscaledWeights()
    {
        ScaleData data;
        data.scales = {0.0078125, std::numeric_limits<double>::quiet_NaN(), 0x1p-127};
        data.shape = {3};
        data.exponents = true;
        QCOMPARE(data.exponentOf(0), std::optional(-7));
        QCOMPARE(data.exponentOf(2), std::optional(-127));
        QVERIFY(!data.exponentOf(1));
        QCOMPARE(csvText(scaleTable, scaleRows(data)),
                 "at,scale,zero_point,exponent,bias\n0,0.0078125,,-7,\n1,nan,,,\n"
                 "2,5.877471754111438e-39,,-127,\n");
        data.exponents = false;
        QVERIFY(!data.exponentOf(0));
    }

    /// Every table that is declared: keys are of JSON, told apart, and each column is explained.
    void everyColumnSaysWhatItIs()
    {
        QVERIFY(!declaredTables().empty());
        QSet<QString> names;
        for (const TableFacts &table : declaredTables()) {
            const QString name = QString::fromUtf8(table.name.data(), qsizetype(table.name.size()));
            QVERIFY2(!name.isEmpty() && !names.contains(name), qPrintable(name));
            names.insert(name);
            QSet<QString> keys;
            for (const ColumnFacts &column : table.columns) {
                const QString key =
                    QString::fromUtf8(column.key.data(), qsizetype(column.key.size()));
                const QString where = name + u'.' + key;
                QVERIFY2(column.key.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") ==
                                 std::string_view::npos &&
                             !key.isEmpty(),
                         qPrintable(where));
                QVERIFY2(!keys.contains(key), qPrintable(where));
                keys.insert(key);
                QVERIFY2(!column.title.empty(), qPrintable(where));
                QVERIFY2(column.explanation.size() > 5, qPrintable(where));
                QVERIFY2(column.shown != 0 && (column.shown & ~unsigned(kEverywhere)) == 0,
                         qPrintable(where));
                // A value for people needs a cell; only documents may have more.
                QVERIFY2(column.hasCells || column.shown == kDocument, qPrintable(where));
            }
        }
    }
};

KERNSCOPE_TEST(TestColumns, NoApplication)
#include "tst_columns.moc"
