// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/numeric/npy.h"
#include "made_bundle.h"
#include "tests/widgets/sample_bundles.h"
#include "widgets/common/diagnostics_dock.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/export_jobs.h"
#include "widgets/common/labels.h"
#include "widgets/common/table_tools.h"
#include "widgets/models/bundle_tree_model.h"
#include "widgets/models/byte_models.h"

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
    void numbersAreFormattedOneWay()
    {
        QCOMPARE(groupedNumber(1234567), u"1,234,567"_s);
        QCOMPARE(groupedNumber(0), u"0"_s);
        QCOMPARE(groupedNumber(UINT64_MAX), u"18,446,744,073,709,551,615"_s);
        QCOMPARE(hexNumber(0x2b080, 8), u"0x0002b080"_s);
        QCOMPARE(hexNumber(0), u"0x0"_s);
        QCOMPARE(ratioText(0.4794), u"0.479"_s);
        QCOMPARE(ratioText(std::nan("")), u"\u2013"_s);
        QCOMPARE(percentText(0.583), u"58.3 %"_s);
        QCOMPARE(csvLine({u"a"_s, u"b,c"_s, u"d\"e"_s}), u"a,\"b,c\",\"d\"\"e\""_s);
        QCOMPARE(csvLine({u"=1+1"_s, u"-2+3"_s, u"-1.5"_s}), u"'=1+1,'-2+3,-1.5"_s);
    }

    void filterNeedsEveryWord()
    {
        QVERIFY(TextFilter().passes({"anything"}));
        QVERIFY(TextFilter(u"  "_s).empty());
        const TextFilter both(u"Enc SPARSE"_s);
        QVERIFY(both.passes({"encoder.weight", "sparse+lut"}));
        QVERIFY(!both.passes({"encoder.weight", "lut"}));
        QVERIFY(!both.passes({"", ""}));
    }

    void diagnosticsFilterBySeverity()
    {
        DiagnosticsModel model;
        QAbstractItemModelTester tester(&model);
        using Source = DiagnosticsModel::Source;
        model.setRows(Source::Tables, {diagnostic(Severity::Warning, "blob.count", "w.bin", 0),
                                       diagnostic(Severity::Error, "blob.range", "w.bin", 64)});
        model.addRow(Source::Other, diagnostic(Severity::Note, "io.open", "x", 0));
        QCOMPARE(model.rowCount(), 3);
        QCOMPARE(model.countOf(Severity::Warning), 1U);
        model.setShown(Severity::Warning, false);
        QCOMPARE(model.rowCount(), 2);
        model.setFilter(u"blob"_s);
        QCOMPARE(model.rowCount(), 1);
        QCOMPARE(model.index(0, model.columnOf("code")).data().toString(), u"blob.range"_s);
        QCOMPARE(model.index(0, model.columnOf("place")).data().toString(), u"w.bin+0x40"_s);
        QVERIFY(model.index(0, 0).data(Qt::DecorationRole).isValid());
        QCOMPARE(model.index(0, 0).data().toString(), u"error"_s);
        model.setFilter({});
        model.setShown(Severity::Warning, true);
        model.setRows(Source::Tables, {});
        QCOMPARE(model.rowCount(), 1);
        QCOMPARE(model.count(), 1U);
    }

    void diagnosticsSort()
    {
        DiagnosticsModel model;
        QAbstractItemModelTester tester(&model);
        model.setRows(DiagnosticsModel::Source::Tables,
                      {diagnostic(Severity::Note, "c", "w.bin", 0x200),
                       diagnostic(Severity::Error, "b", "w.bin", 0x40),
                       diagnostic(Severity::Warning, "a", "w.bin", 0x1000)});
        const QPersistentModelIndex kept(model.index(2, 0));
        model.sort(model.columnOf("place"));
        QCOMPARE(model.diagnosticAt(0).error.code, "b");
        QCOMPARE(model.diagnosticAt(2).error.code, "a");
        model.sort(model.columnOf("severity"));
        QCOMPARE(model.diagnosticAt(0).severity, Severity::Error);
        QCOMPARE(model.diagnosticAt(kept.row()).error.code, "a");
    }

    void selectionCopiesAsTsv()
    {
        SectionModel model;
        model.setBundle(blobBundle(2, 64));
        QItemSelectionModel selection(&model);
        const auto row = [&model](int at) {
            return QItemSelection(model.index(at, 0), model.index(at, model.columnCount() - 1));
        };
        selection.select(row(2), QItemSelectionModel::Select);
        selection.select(row(0), QItemSelectionModel::Select);
        const QStringList lines = selectionAsTsv(selection).split(u'\n');
        QCOMPARE(lines.size(), 2);
        QCOMPARE(lines[0].split(u'\t').size(), int(model.columnCount()));
        QVERIFY(lines[0].startsWith(u"header\theader\t0x0\t64\t"_s));
        QVERIFY(lines[1].contains(u"0x80"_s));
    }

    void tablesExportAsCsv()
    {
        BundleTreeModel model;
        const BundlePtr bundle = openSample("palette");
        model.setBundle(bundle);
        const QStringList lines = tableAsCsv(model).trimmed().split(u'\n');
        // Weights alone: what groups them, and files, are no rows of the table.
        QCOMPARE(lines.size(), 1 + int(bundle->weights().size()));
        QVERIFY(lines[0].startsWith(u"name,form"_s));
        for (const Weight &weight : bundle->weights())
            QVERIFY(lines.indexOf(QRegularExpression(
                        QLatin1Char('^') + QRegularExpression::escape(fromUtf8(weight.name)) +
                        u",.*"_s)) > 0);
        QVERIFY(!lines.join(u'\n').contains(QChar(0x00D7)));
    }

    /// A file is in the format that its name ends with, whole; numbers of JSON are numbers.
    void tablesExportByEnding()
    {
        QCOMPARE(tableFormatOf(u"/a/b.csv"_s), TableFormat::CommaSeparated);
        QCOMPARE(tableFormatOf(u"/a.md/b"_s), TableFormat::CommaSeparated);
        QCOMPARE(tableFormatOf(u"b.TSV"_s), TableFormat::TabSeparated);
        QCOMPARE(tableFormatOf(u"b.md"_s), TableFormat::Markdown);
        QCOMPARE(tableFormatOf(u"b.json"_s), TableFormat::Json);
        QVERIFY(!tableFormatOf(u"b.npy"_s)); // no program reads a table in it
        QVERIFY(!tableFormatOf(u"b.xlsx"_s));
        BundleTreeModel model;
        model.setBundle(openSample("palette"));
        const auto rows = tableAs(model, TableFormat::CommaSeparated).count(u'\n') - 1;
        QCOMPARE(tableAs(model, TableFormat::TabSeparated).count(u'\n') - 1, rows);
        const QStringList markdown = tableAs(model, TableFormat::Markdown).trimmed().split(u'\n');
        QCOMPARE(markdown.size() - 2, rows);
        QVERIFY(markdown[1].startsWith(u"| --- |"_s));
        const QJsonArray list =
            QJsonDocument::fromJson(tableAs(model, TableFormat::Json).toUtf8()).array();
        QCOMPARE(list.size(), rows);
        const QModelIndex top = model.index(0, 0);
        QCOMPARE(model.nodeAt(model.index(0, 0, top)).kind, BundleTreeModel::Node::Kind::Program);
        QVERIFY(list[0].toObject().value(u"stored_bytes"_s).isDouble());
        DiagnosticsModel none;
        QCOMPARE(tableAs(none, TableFormat::Json).trimmed(), u"[\n]"_s);
    }

    /// A row each reading, with its name and value; in either order of the bytes, and of no bytes.
    void readingsOfKnownBytes()
    {
        InspectorModel model;
        QAbstractItemModelTester tester(&model);
        const Bytes bytes = hex("00 bc 80 3f ff ff ff ff");
        const auto shown = [&model](bool big, std::span<const std::byte> of) {
            model.setBigEndian(big);
            model.setBytes(of);
            QStringList wrong;
            const auto readings = byteReadings(of, big);
            for (int row = 0; row < model.rowCount(); ++row) {
                const std::string &value = readings[std::size_t(row)].value;
                if (model.name(row).toStdString() != readings[std::size_t(row)].name ||
                    model.value(row).toStdString() != (value.empty() ? "\u2013" : value))
                    wrong += model.name(row) + u' ' + model.value(row);
            }
            return wrong;
        };
        for (const bool big : {false, true}) {
            QCOMPARE(shown(big, bytes), QStringList());
            QCOMPARE(shown(big, std::span(bytes).subspan(1)), QStringList());
            QCOMPARE(shown(big, {}), QStringList());
        }
        QCOMPARE(model.rowCount(), int(byteReadings({}).size()));
    }

    /// A chosen row that is in sight stays so in a smaller table; what is out of sight stays out.
    void chosenRowsStayInSight()
    {
        QStandardItemModel model(60, 2);
        QTableView table;
        table.setModel(&model);
        prepareTable(&table);
        table.resize(300, 600);
        table.show();
        QVERIFY(QTest::qWaitForWindowExposed(&table));
        for (const bool inSight : {true, false}) {
            chooseRow(&table, model.index(inSight ? 15 : 55, 0));
            table.scrollToTop();
            table.resize(300, 200);
            QTest::qWait(0);
            QCOMPARE(table.viewport()->rect().contains(table.visualRect(table.currentIndex())),
                     inSight);
            table.resize(300, 600);
            QTest::qWait(0);
        }
    }

    // Weights and bytes written to files of their own.
    void exportsWeightsAndBytes()
    {
        QTemporaryDir folder;
        QVERIFY(folder.isValid());
        Session session;
        session.setBundle(openSample("sparse"));
        const BundlePtr &bundle = session.bundle();
        const std::size_t number = weightWith(*bundle, codec::PartRole::Mask);
        const Weight &weight = bundle->weights()[number];
        QSignalSpy said(&session, &Session::statusMessage);
        const QString array = folder.filePath(u"weight.npy"_s);
        exportWeight(session, bundle, number, array);
        QTRY_COMPARE(said.size(), 1);
        const QByteArray content = contentOf(array);
        const auto npy = VERIFIED(readNpy(asSpan(content), "weight.npy"));
        QCOMPARE(npy->shape, weight.shape);
        std::vector<float> values(weight.elements.value);
        bundle->decoder(number)->decodeFloat(0, values);
        for (std::size_t i = 0; i < values.size(); ++i)
            QCOMPARE(float(npy->values[i]), values[i]);

        for (const QString &name : {u"one.npz"_s, u"one.safetensors"_s}) {
            said.clear();
            exportWeight(session, bundle, number, folder.filePath(name));
            QTRY_COMPARE(said.size(), 1);
            const auto file = VERIFIED(Bundle::open(folder.filePath(name).toStdString()));
            QCOMPARE((*file)->weights().size(), 1U);
            std::vector<float> back((*file)->weights()[0].elements.value);
            (*file)->decoder(0)->decodeFloat(0, back);
            QVERIFY(back == values);
        }

        // By the end of the name, or not at all.
        for (const auto &[name, begins] :
             {std::pair("one.csv", true), {"one.bin", true}, {"one.txt", false}, {"one", false}}) {
            said.clear();
            exportWeight(session, bundle, number, folder.filePath(QString::fromLatin1(name)));
            QTRY_COMPARE(said.size(), 1);
            QCOMPARE(said.first().first().toString().startsWith(u"Exported"_s), begins);
            QCOMPARE(QFile::exists(folder.filePath(QString::fromLatin1(name))), begins);
        }
        const QList<QByteArray> rows =
            contentOf(folder.filePath(u"one.csv"_s)).trimmed().split('\n');
        QCOMPARE(std::uint64_t(rows.size()), weight.shape.front());
        QCOMPARE(rows.first().split(',').first().toFloat(), values.front());
        QCOMPARE(rows.last().split(',').last().toFloat(), values.back());

        const OperandPlace &mask = *weight.operand(codec::PartRole::Mask)->place;
        const QString bytes = folder.filePath(u"mask.bin"_s);
        said.clear();
        exportBytes(session, bundle, mask.file, mask.range(), bytes);
        QTRY_COMPARE(said.size(), 1);
        const auto stored = bundle->operandBytes(*weight.operand(codec::PartRole::Mask));
        QCOMPARE(contentOf(bytes), asArray(stored));
        exportBytes(session, bundle, mask.file, mask.range(),
                    folder.filePath(u"no/such/folder.bin"_s));
        QTRY_COMPARE(said.size(), 2);
        QVERIFY(said.last().first().toString().contains(u"Not written"_s));
    }

    /// fp16 holds neither value of 1/3 in fp32 nor one of 100,000.
    void exportsWideWeightsWhole()
    {
        const std::vector<float> wide{1.0F / 3.0F, 100000.0F, -1e-20F, 4.0F};
        Bytes payload(wide.size() * sizeof(float));
        std::memcpy(payload.data(), wide.data(), payload.size());
        MadeBundle made;
        made.layer("w", "[4]", payload, ElementType::Fp32);
        const auto bundle = VERIFIED(made.open());
        Session session;
        session.setBundle(*bundle);
        QTemporaryDir folder;
        QSignalSpy said(&session, &Session::statusMessage);
        const QString path = folder.filePath(u"wide.npy"_s);
        exportWeight(session, *bundle, 0, path);
        QTRY_COMPARE(said.size(), 1);
        const QByteArray content = contentOf(path);
        QVERIFY(content.contains("'<f4'"));
        const auto npy = VERIFIED(readNpy(asSpan(content), "wide.npy"));
        QCOMPARE(npy->values.size(), wide.size());
        for (std::size_t i = 0; i < wide.size(); ++i)
            QCOMPARE(float(npy->values[i]), wide[i]);
    }

    /// All weights as tensors, and reports for browsers and printers.
    void exportsTheWholeBundle()
    {
        QTemporaryDir folder;
        Session session;
        session.setBundle(openSample("sparse"));
        const BundlePtr &bundle = session.bundle();
        QSignalSpy said(&session, &Session::statusMessage);
        const QString tensors = folder.filePath(u"all.safetensors"_s);
        exportTensors(session, bundle, tensors);
        QTRY_COMPARE(said.size(), 1);
        QCOMPARE(said.last().first().toString(), u"Exported all.safetensors"_s);
        const auto back = VERIFIED(Bundle::open(tensors.toStdString()));
        QCOMPARE((*back)->weights().size(), bundle->weights().size());
        const QString arrays = folder.filePath(u"all.NPZ"_s);
        exportTensors(session, bundle, arrays);
        QTRY_COMPARE(said.size(), 2);
        const auto zipped = VERIFIED(Bundle::open(arrays.toStdString()));
        QCOMPARE((*zipped)->weights().size(), bundle->weights().size());
        const auto read = [&](const QString &name) {
            const QString path = folder.filePath(name);
            const int before = int(said.size());
            exportReport(session, bundle, {{"w[0]", "a note to find"}}, path);
            [&] { QTRY_COMPARE(said.size(), before + 1); }();
            return contentOf(path);
        };
        const QByteArray html = read(u"report.html"_s);
        QVERIFY(html.contains("a note to find"));
        for (const Weight &weight : bundle->weights())
            QVERIFY(html.contains(QByteArray::fromStdString(weight.findableName())));
        const QByteArray pdf = read(u"report.pdf"_s);
        QVERIFY(pdf.startsWith("%PDF"));
        QVERIFY(pdf.size() > 1000);
        exportReport(session, bundle, {}, folder.filePath(u"no/such/folder.html"_s));
        QTRY_COMPARE(said.size(), 5);
        QVERIFY(said.last().first().toString().contains(u"Not written"_s));
    }

    /// On paper: three across, nine a page, none of them torn from its words.
    void figuresStandBesideOneAnother()
    {
        QString html = u"<h2>Weights</h2><p>rows</p><h2>Pictures</h2>"_s;
        for (int i = 0; i < 10; ++i)
            html += u"<figure><img src=\"%1\"><figcaption>w%1</figcaption></figure>\n"_s.arg(i);
        html += u"<h2>Files</h2>"_s;
        putFiguresOnPages(html);
        QCOMPARE(html.count(u"<table"_s), 2);
        QCOMPARE(html.count(u"<tr>"_s), 4);
        QCOMPARE(html.count(u"<td"_s), 10);
        QVERIFY(html.contains(u"<img src=\"9\"><br>w9</td></tr></table>"_s));
        QVERIFY(!html.contains(u"fig"_s));
        // The title and the second page.
        QCOMPARE(html.count(u"page-break-before"_s), 2);
        QVERIFY(html.contains(u"<h2>Weights</h2>"_s));
        QVERIFY(html.endsWith(u"<h2>Files</h2>"_s));
        const QString none = u"<h2>Files</h2>"_s;
        QString same = none;
        putFiguresOnPages(same);
        QCOMPARE(same, none);
    }
};

KERNSCOPE_TEST(TestTableModels, QApplication)
#include "tst_table_models.moc"
