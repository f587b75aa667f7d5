// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/test_program.h"
#include "tests/widgets/sample_bundles.h"
#include "widgets/models/bundle_tree_model.h"
#include "widgets/models/diagnostics_model.h"
#include "widgets/models/inspector_model.h"
#include "widgets/models/section_model.h"
#include "widgets/models/table_formats.h"
#include "widgets/models/table_text.h"
#include "widgets/models/text_filter.h"

#include <QAbstractItemModelTester>
#include <QItemSelectionModel>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QTest>

#include <array>
#include <cmath>

using namespace kernscope;
using namespace kernscope::ui;

namespace {

Diagnostic diagnostic(Severity severity, const char *code, const char *file, std::uint64_t offset)
{
    Diagnostic d;
    d.severity = severity;
    d.error.code = code;
    d.error.file = file;
    d.error.offset = FileOffset(offset);
    d.error.field = "data offset";
    d.error.message = "does not lie in the file";
    d.error.expected = "at most 64";
    d.error.found = "65";
    return d;
}

} // namespace

class TestTableModels : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void numbersAreFormattedOneWay();
    void filterNeedsEveryWord();
    void diagnosticsFilterBySeverity();
    void diagnosticsSort();
    void selectionCopiesAsTsv();
    void tablesExportAsCsv();
    void tablesExportByEnding();
    void readingsOfKnownBytes();
};

void TestTableModels::numbersAreFormattedOneWay()
{
    QCOMPARE(groupedNumber(1234567), QStringLiteral("1,234,567"));
    QCOMPARE(groupedNumber(0), QStringLiteral("0"));
    QCOMPARE(groupedNumber(UINT64_MAX), QStringLiteral("18,446,744,073,709,551,615"));
    QCOMPARE(hexNumber(0x2b080, 8), QStringLiteral("0x0002b080"));
    QCOMPARE(hexNumber(0), QStringLiteral("0x0"));
    QCOMPARE(ratioText(0.4794), QStringLiteral("0.479"));
    QCOMPARE(ratioText(std::nan("")), QStringLiteral("\u2013"));
    QCOMPARE(percentText(0.583), QStringLiteral("58.3 %"));
    QCOMPARE(csvLine({QStringLiteral("a"), QStringLiteral("b,c"), QStringLiteral("d\"e")}),
             QStringLiteral("a,\"b,c\",\"d\"\"e\""));
    QCOMPARE(csvLine({QStringLiteral("=1+1"), QStringLiteral("-2+3"), QStringLiteral("-1.5")}),
             QStringLiteral("'=1+1,'-2+3,-1.5"));
}

void TestTableModels::filterNeedsEveryWord()
{
    QVERIFY(TextFilter().passes({"anything"}));
    QVERIFY(TextFilter(QStringLiteral("  ")).empty());
    const TextFilter both(QStringLiteral("Enc SPARSE"));
    QVERIFY(both.passes({"encoder.weight", "sparse+lut"}));
    QVERIFY(!both.passes({"encoder.weight", "lut"}));
    QVERIFY(!both.passes({"", ""}));
}

void TestTableModels::diagnosticsFilterBySeverity()
{
    DiagnosticsModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    using Source = DiagnosticsModel::Source;
    model.setRows(Source::Tables, {diagnostic(Severity::Warning, "blob.count", "w.bin", 0),
                                   diagnostic(Severity::Error, "blob.range", "w.bin", 64)});
    model.addRow(Source::Other, diagnostic(Severity::Note, "io.open", "x", 0));
    QCOMPARE(model.rowCount(), 3);
    QCOMPARE(model.countOf(Severity::Warning), std::size_t{1});
    model.setShown(Severity::Warning, false);
    QCOMPARE(model.rowCount(), 2);
    model.setFilter(QStringLiteral("blob"));
    QCOMPARE(model.rowCount(), 1);
    QCOMPARE(model.index(0, model.columnOf("code")).data().toString(),
             QStringLiteral("blob.range"));
    QCOMPARE(model.index(0, model.columnOf("place")).data().toString(),
             QStringLiteral("w.bin+0x40"));
    QVERIFY(model.index(0, 0).data(Qt::DecorationRole).isValid());
    QCOMPARE(model.index(0, 0).data().toString(), QStringLiteral("error"));
    model.setFilter({});
    model.setShown(Severity::Warning, true);
    model.setRows(Source::Tables, {});
    QCOMPARE(model.rowCount(), 1);
    QCOMPARE(model.count(), std::size_t{1});
}

void TestTableModels::diagnosticsSort()
{
    DiagnosticsModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setRows(DiagnosticsModel::Source::Tables,
                  {diagnostic(Severity::Note, "c", "w.bin", 0x200),
                   diagnostic(Severity::Error, "b", "w.bin", 0x40),
                   diagnostic(Severity::Warning, "a", "w.bin", 0x1000)});
    const QPersistentModelIndex kept(model.index(2, 0));
    model.sort(model.columnOf("place"));
    QCOMPARE(model.diagnosticAt(0).error.code, std::string("b"));
    QCOMPARE(model.diagnosticAt(2).error.code, std::string("a"));
    model.sort(model.columnOf("severity"));
    QCOMPARE(model.diagnosticAt(0).severity, Severity::Error);
    QCOMPARE(model.diagnosticAt(kept.row()).error.code, std::string("a"));
}

void TestTableModels::selectionCopiesAsTsv()
{
    SectionModel model;
    model.setBundle(test::blobBundle(2, 64));
    QItemSelectionModel selection(&model);
    const auto row = [&model](int at) {
        return QItemSelection(model.index(at, 0), model.index(at, model.columnCount() - 1));
    };
    selection.select(row(2), QItemSelectionModel::Select);
    selection.select(row(0), QItemSelectionModel::Select);
    const QStringList lines = selectionAsTsv(selection).split(u'\n');
    QCOMPARE(lines.size(), 2);
    QCOMPARE(lines[0].split(u'\t').size(), int(model.columnCount()));
    QVERIFY(lines[0].startsWith(QStringLiteral("header\theader\t\tweight.bin\t0x0\t64")));
    QVERIFY(lines[1].contains(QStringLiteral("0x80")));
}

void TestTableModels::tablesExportAsCsv()
{
    BundleTreeModel model;
    const BundlePtr bundle = test::sampleBundle("palette");
    model.setBundle(bundle);
    const QStringList lines = tableAsCsv(model).trimmed().split(u'\n');
    // Weights alone: what groups them, and files, are no rows of the table.
    QCOMPARE(lines.size(), 1 + static_cast<int>(bundle->weights().size()));
    QVERIFY(lines[0].startsWith(QStringLiteral("name,form")));
    for (const Weight &weight : bundle->weights())
        QVERIFY(lines.indexOf(QRegularExpression(QLatin1Char('^') +
                                                 QRegularExpression::escape(fromUtf8(weight.name)) +
                                                 QStringLiteral(",.*"))) > 0);
    QVERIFY(!lines.join(u'\n').contains(QChar(0x00D7)));
}

/// A file is in the format that its name ends with, whole; numbers of JSON are numbers.
void TestTableModels::tablesExportByEnding()
{
    QCOMPARE(tableFormatOf(QStringLiteral("/a/b.csv")), TableFormat::CommaSeparated);
    QCOMPARE(tableFormatOf(QStringLiteral("/a.md/b")), TableFormat::CommaSeparated);
    QCOMPARE(tableFormatOf(QStringLiteral("b.TSV")), TableFormat::TabSeparated);
    QCOMPARE(tableFormatOf(QStringLiteral("b.md")), TableFormat::Markdown);
    QCOMPARE(tableFormatOf(QStringLiteral("b.json")), TableFormat::Json);
    QVERIFY(!tableFormatOf(QStringLiteral("b.npy"))); // no program reads a table in it
    QVERIFY(!tableFormatOf(QStringLiteral("b.xlsx")));
    BundleTreeModel model;
    model.setBundle(test::sampleBundle("palette"));
    const auto rows = tableAs(model, TableFormat::CommaSeparated).count(u'\n') - 1;
    QCOMPARE(tableAs(model, TableFormat::TabSeparated).count(u'\n') - 1, rows);
    const QStringList markdown = tableAs(model, TableFormat::Markdown).trimmed().split(u'\n');
    QCOMPARE(markdown.size() - 2, rows);
    QVERIFY(markdown[1].startsWith(QStringLiteral("| --- |")));
    const QJsonArray list =
        QJsonDocument::fromJson(tableAs(model, TableFormat::Json).toUtf8()).array();
    QCOMPARE(list.size(), rows);
    const QModelIndex top = model.index(0, 0);
    QCOMPARE(model.nodeAt(model.index(0, 0, top)).kind, BundleTreeModel::Node::Kind::Program);
    QVERIFY(list[0].toObject().value(QStringLiteral("stored_bytes")).isDouble());
    DiagnosticsModel none;
    QCOMPARE(tableAs(none, TableFormat::Json).trimmed(), QStringLiteral("[\n]"));
}

void TestTableModels::readingsOfKnownBytes()
{
    InspectorModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    const std::array<std::byte, 8> bytes{std::byte{0x00}, std::byte{0xbc}, std::byte{0x80},
                                         std::byte{0x3f}, std::byte{0xff}, std::byte{0xff},
                                         std::byte{0xff}, std::byte{0xff}};
    const auto value = [&model](const char *name) {
        for (int row = 0; row < model.rowCount(); ++row) {
            if (model.name(row) == QLatin1String(name))
                return model.value(row);
        }
        return QString();
    };
    model.setBytes(bytes);
    QCOMPARE(value("u8"), QStringLiteral("0"));
    QCOMPARE(value("u16"), QStringLiteral("48128"));
    QCOMPARE(value("i16"), QStringLiteral("-17408"));
    QCOMPARE(value("fp16"), QStringLiteral("-1"));
    QCOMPARE(value("u32"), QStringLiteral("1065401344"));
    QCOMPARE(value("u64"), QStringLiteral("18446744070479985664"));
    QCOMPARE(value("i64"), QStringLiteral("-3229565952"));
    QCOMPARE(value("e5m2"), QStringLiteral("0"));
    QVERIFY(!value("fp64").isEmpty());
    model.setBytes(std::span(bytes).subspan(1));
    QCOMPARE(value("u8"), QStringLiteral("188"));
    QCOMPARE(value("i8"), QStringLiteral("-68"));
    QCOMPARE(value("int4"), QStringLiteral("-4, -5"));
    QCOMPARE(value("uint4"), QStringLiteral("12, 11"));
    QCOMPARE(value("e5m2"), QStringLiteral("-1"));
    QCOMPARE(value("bits"), QStringLiteral("10111100"));
    QCOMPARE(value("u64"), QStringLiteral("\u2013"));
    const int rows = model.rowCount();
    model.setBigEndian(true);
    model.setBytes(bytes);
    QCOMPARE(value("u16"), QStringLiteral("188"));
    QCOMPARE(value("u32"), QStringLiteral("12353599"));
    QCOMPARE(value("u8"), QStringLiteral("0"));
    model.setBytes({});
    QCOMPARE(model.rowCount(), rows);
    QCOMPARE(value("u8"), QStringLiteral("\u2013"));
}

KERNSCOPE_TEST(TestTableModels, QApplication)
#include "tst_table_models.moc"
