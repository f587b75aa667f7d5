// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/test_program.h"
#include "widgets/models/row_table_model.h"

using namespace kernscope::ui;
namespace report = kernscope::report;

namespace {

struct Made {
    std::string name;
    std::uint64_t bytes = 0;
    std::optional<double> timeS;
    bool good = true;
};

const report::TableOf<Made> &madeTable()
{
    using report::Value;
    static const report::TableOf<Made> kTable{
        "made",
        {{report::kNumber, "bytes", "stored", "Stored bytes",
          [](const Made &row) -> Value { return report::Count(row.bytes); }, report::withUnit("B"),
          report::notSearched()},
         {report::kDocument, "hidden", "hidden", "In documents only",
          [](const Made &) -> Value { return report::Nothing(); }},
         {"name", "weight", "Its name", [](const Made &row) -> Value { return row.name; },
          report::originOf([](const Made &row) { return "from " + row.name; })},
         {report::kNumber, "time_s", "time", "Predicted time",
          [](const Made &row) { return report::known<report::Seconds>(row.timeS); },
          report::withUnit("s"), report::unknownAs("unknown")},
         {"verdict", "verdict", "Whether it holds",
          [](const Made &row) -> Value {
              return row.good ? report::Word("legal", report::Mark::Good)
                              : report::Word("refused", report::Mark::Bad, "a rule");
          }}},
        {},
        {"name"}};
    return kTable;
}

const std::vector<Made> kRows{
    {"beta", 1234567, 12.3e-6, true}, {"alpha", 9, std::nullopt, false}, {"gamma", 10, 1.5, true}};

class Terms final : public QTranslator
{
public:
    QString translate(const char *context, const char *source, const char *, int) const override
    {
        return QByteArray(context) == "kernscope::Column" ? u"<%1>"_s.arg(QString::fromUtf8(source))
                                                          : QString();
    }
    bool isEmpty() const override { return false; }
};

} // namespace

/// The model that every table of declared columns has.
class TestRowTable : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void cellsFollowTheDeclaration()
    {
        RowTable<Made> model(madeTable());
        const QAbstractItemModelTester tester(&model);
        model.setRows(kRows);
        QCOMPARE(model.rowCount(), 3);
        QCOMPARE(model.columnCount(), 4); // without the column of documents
        QCOMPARE(model.columnOf("name"), 0);
        QCOMPARE(model.columnOf("hidden"), -1);
        const auto cell = [&model](int row, const char *key, int role = Qt::DisplayRole) {
            return model.index(row, model.columnOf(key)).data(role);
        };
        QCOMPARE(cell(0, "bytes").toString(), u"1,234,567"_s);
        QCOMPARE(cell(0, "bytes", CopyRole).toString(), u"1234567"_s);
        QCOMPARE(cell(0, "bytes", SortRole).toULongLong(), 1234567ULL);
        QCOMPARE(cell(0, "time_s").toString(), u"12.3 \u00b5s"_s);
        QCOMPARE(cell(1, "time_s").toString(), u"unknown"_s);
        QVERIFY(!cell(1, "time_s", SortRole).isValid());
        QVERIFY(cell(0, "verdict").toString().endsWith(u" legal"_s));
        QCOMPARE(cell(1, "verdict", CopyRole).toString(), u"refused: a rule"_s);
        QCOMPARE(cell(0, "name", Qt::ToolTipRole).toString(), u"from beta"_s);
        QVERIFY(cell(0, "bytes", Qt::TextAlignmentRole).toInt() & Qt::AlignRight);
        QVERIFY(cell(0, "name", Qt::TextAlignmentRole).toInt() & Qt::AlignLeft);
        QCOMPARE(tableAsCsv(model).section(u'\n', 0, 1),
                 u"name,bytes,time_s,verdict\nbeta,1234567,1.23e-05,legal"_s);
    }

    void headersExplain()
    {
        RowTable<Made> model(madeTable());
        const auto header = [&model](const char *key, int role = Qt::DisplayRole) {
            return model.headerData(model.columnOf(key), Qt::Horizontal, role).toString();
        };
        QCOMPARE(header("bytes"), u"Stored B"_s);
        QCOMPARE(header("time_s"), u"Time"_s); // its cells have the unit
        QCOMPARE(header("bytes", Qt::ToolTipRole), u"Stored bytes"_s);
        QCOMPARE(header("bytes", KeyRole), u"bytes"_s);
        QSignalSpy changed(&model, &QAbstractItemModel::headerDataChanged);
        model.setTitle("bytes", u"M1"_s);
        QCOMPARE(header("bytes"), u"M1"_s);
        QCOMPARE(changed.size(), 1);
    }

    void sortsByNumbersAndKeepsThePlace()
    {
        RowTable<Made> model(madeTable());
        const QAbstractItemModelTester tester(&model);
        model.setRows(kRows);
        const QPersistentModelIndex beta(model.index(0, 0));
        model.sort(model.columnOf("bytes"));
        QCOMPARE(model.rowAt(0).name, "alpha"); // 9 before 10, as numbers
        QCOMPARE(model.rowAt(1).name, "gamma");
        QCOMPARE(model.rowAt(beta.row()).name, "beta");
        QCOMPARE(model.rowOf(0), 2);
        model.sort(model.columnOf("time_s"), Qt::DescendingOrder);
        QCOMPARE(model.rowAt(2).name, "alpha"); // not known: last of the large
        model.sort(-1);
        QCOMPARE(model.rowAt(0).name, "beta");
    }

    void filtersBySearchedColumns()
    {
        RowTable<Made> model(madeTable());
        const QAbstractItemModelTester tester(&model);
        model.setRows(kRows);
        model.setFilter(u"A RULE"_s);
        QCOMPARE(model.rowCount(), 1);
        QCOMPARE(model.sourceRow(0), 1U);
        QCOMPARE(model.rowOf(0), -1);
        model.setFilter(u"1,234"_s);
        QCOMPARE(model.rowCount(), 0); // bytes are not searched
        model.setFilter({});
        QCOMPARE(model.rowCount(), 3);
    }

    void theSameRowsAreNoReset()
    {
        RowTable<Made> model(madeTable());
        model.setRows(kRows);
        QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
        QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
        model.setRows(kRows);
        QCOMPARE(reset.size(), 0);
        QCOMPARE(changed.size(), 1);
        std::vector<Made> others = kRows;
        others[2].bytes = 11;
        model.setRows(others);
        QCOMPARE(reset.size(), 1);
        model.setRows({});
        QCOMPARE(reset.size(), 2);
        QCOMPARE(model.rowCount(), 0);
    }

    void looksComeFromTheDock()
    {
        RowTable<Made> model(madeTable());
        model.setLook([](const Made &row, std::string_view key, int role) {
            QFont font;
            font.setBold(row.good);
            return key == "name" && role == Qt::FontRole ? QVariant(font) : QVariant();
        });
        model.setRows(kRows);
        QVERIFY(model.index(0, 0).data(Qt::FontRole).value<QFont>().bold());
        QVERIFY(!model.index(0, 1).data(Qt::FontRole).isValid());
        QCOMPARE(model.index(0, 0).data().toString(), u"beta"_s);
    }

    void screenReadersHearWhatIsNotKnown()
    {
        QCOMPARE(cellText(report::Unknown()), u"\u2013"_s);
        QCOMPARE(cellText(report::View("-")), u"\u2013"_s);
        RowTable<Made> model(madeTable());
        model.setRows(kRows);
        QCOMPARE(model.index(1, model.columnOf("time_s")).data(Qt::AccessibleTextRole).toString(),
                 u"unknown"_s);
    }

    /// Titles, explanations and terms of the core go through the window's translation.
    void termsAreTranslated()
    {
        Terms terms;
        QVERIFY(QCoreApplication::installTranslator(&terms));
        RowTable<Made> model(madeTable());
        model.setRows(kRows);
        const int verdict = model.columnOf("verdict");
        const QString title = model.headerData(verdict, Qt::Horizontal).toString();
        const QString tip = model.headerData(verdict, Qt::Horizontal, Qt::ToolTipRole).toString();
        const QString cell = model.index(1, verdict).data().toString();
        const QString copy = model.index(1, verdict).data(CopyRole).toString();
        model.setFilter(u"<refused>"_s);
        const int found = model.rowCount();
        QCoreApplication::removeTranslator(&terms);
        QCOMPARE(title, u"<verdict>"_s);
        QCOMPARE(tip, u"<Whether it holds>"_s);
        QVERIFY(cell.endsWith(u"<refused>: a rule"_s));
        QCOMPARE(copy, u"refused: a rule"_s);
        QCOMPARE(found, 1);
    }
};

KERNSCOPE_TEST(TestRowTable, QApplication)
#include "tst_row_table.moc"
