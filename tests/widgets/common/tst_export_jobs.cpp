// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/numeric/npy.h"
#include "made_bundle.h"
#include "tests/test_program.h"
#include "tests/widgets/sample_bundles.h"
#include "widgets/common/export_jobs.h"
#include "widgets/common/export_whole.h"
#include "widgets/models/session.h"

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <cstring>

using namespace kernscope;
using namespace kernscope::ui;

/// Weights and bytes written to files of their own.
class TestExportJobs : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void exportsWeightsAndBytes();
    void exportsWideWeightsWhole();
    void exportsTheWholeBundle();
    void figuresStandBesideOneAnother();
};

void TestExportJobs::exportsWeightsAndBytes()
{
    QTemporaryDir folder;
    QVERIFY(folder.isValid());
    Session session;
    session.setBundle(test::sampleBundle("sparse"));
    const BundlePtr &bundle = session.bundle();
    const std::size_t number = test::weightWith(*bundle, codec::PartRole::Mask);
    const Weight &weight = bundle->weights()[number];
    QSignalSpy said(&session, &Session::statusMessage);
    const QString array = folder.filePath(QStringLiteral("weight.npy"));
    exportWeight(session, bundle, number, array);
    QTRY_COMPARE(said.size(), 1);
    QFile written(array);
    QVERIFY(written.open(QIODevice::ReadOnly));
    const QByteArray content = written.readAll();
    const auto npy =
        readNpy(std::as_bytes(std::span(content.data(), size_t(content.size()))), "weight.npy");
    QVERIFY(npy);
    QCOMPARE(npy->shape, weight.shape);
    std::vector<float> values(weight.elements.value);
    bundle->decoder(number)->decodeFloat(0, values);
    for (std::size_t i = 0; i < values.size(); ++i)
        QCOMPARE(static_cast<float>(npy->values[i]), values[i]);

    for (const QString &name : {QStringLiteral("one.npz"), QStringLiteral("one.safetensors")}) {
        said.clear();
        exportWeight(session, bundle, number, folder.filePath(name));
        QTRY_COMPARE(said.size(), 1);
        const auto file = Bundle::open(folder.filePath(name).toStdString());
        QVERIFY2(file, file ? "" : describe(file.error()).c_str());
        QCOMPARE((*file)->weights().size(), std::size_t{1});
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
        QCOMPARE(said.first().first().toString().startsWith(QStringLiteral("Exported")), begins);
        QCOMPARE(QFile::exists(folder.filePath(QString::fromLatin1(name))), begins);
    }
    QFile lines(folder.filePath(QStringLiteral("one.csv")));
    QVERIFY(lines.open(QIODevice::ReadOnly));
    const QList<QByteArray> rows = lines.readAll().trimmed().split('\n');
    QCOMPARE(static_cast<std::uint64_t>(rows.size()), weight.shape.front());
    QCOMPARE(rows.first().split(',').first().toFloat(), values.front());
    QCOMPARE(rows.last().split(',').last().toFloat(), values.back());

    const OperandPlace &mask = *weight.operand(codec::PartRole::Mask)->place;
    const QString bytes = folder.filePath(QStringLiteral("mask.bin"));
    said.clear();
    exportBytes(session, bundle, mask.file, mask.range(), bytes);
    QTRY_COMPARE(said.size(), 1);
    QFile copied(bytes);
    QVERIFY(copied.open(QIODevice::ReadOnly));
    const auto stored = bundle->operandBytes(*weight.operand(codec::PartRole::Mask));
    QCOMPARE(copied.readAll(), QByteArray(reinterpret_cast<const char *>(stored.data()),
                                          static_cast<qsizetype>(stored.size())));
    exportBytes(session, bundle, mask.file, mask.range(),
                folder.filePath(QStringLiteral("no/such/folder.bin")));
    QTRY_COMPARE(said.size(), 2);
    QVERIFY(said.last().first().toString().contains(QStringLiteral("Not written")));
}

/// fp16 holds neither value of 1/3 in fp32 nor one of 100,000.
void TestExportJobs::exportsWideWeightsWhole()
{
    const std::vector<float> wide{1.0F / 3.0F, 100'000.0F, -1e-20F, 4.0F};
    test::Bytes payload(wide.size() * sizeof(float));
    std::memcpy(payload.data(), wide.data(), payload.size());
    test::MadeBundle made;
    made.constant("tensor<fp32, [4]>", "w", made.blob(ElementType::Fp32, "[4]", payload));
    made.consume("w");
    const auto bundle = made.open();
    QVERIFY(bundle);
    Session session;
    session.setBundle(*bundle);
    QTemporaryDir folder;
    QSignalSpy said(&session, &Session::statusMessage);
    const QString path = folder.filePath(QStringLiteral("wide.npy"));
    exportWeight(session, *bundle, 0, path);
    QTRY_COMPARE(said.size(), 1);
    QFile written(path);
    QVERIFY(written.open(QIODevice::ReadOnly));
    const QByteArray content = written.readAll();
    QVERIFY(content.contains("'<f4'"));
    const auto npy =
        readNpy(std::as_bytes(std::span(content.data(), size_t(content.size()))), "wide.npy");
    QVERIFY(npy);
    QCOMPARE(npy->values.size(), wide.size());
    for (std::size_t i = 0; i < wide.size(); ++i)
        QCOMPARE(static_cast<float>(npy->values[i]), wide[i]);
}

/// All weights as tensors, and reports for browsers and printers.
void TestExportJobs::exportsTheWholeBundle()
{
    QTemporaryDir folder;
    Session session;
    session.setBundle(test::sampleBundle("sparse"));
    const BundlePtr &bundle = session.bundle();
    QSignalSpy said(&session, &Session::statusMessage);
    const QString tensors = folder.filePath(QStringLiteral("all.safetensors"));
    exportTensors(session, bundle, tensors);
    QTRY_COMPARE(said.size(), 1);
    QCOMPARE(said.last().first().toString(), QStringLiteral("Exported all.safetensors"));
    const auto back = Bundle::open(tensors.toStdString());
    QVERIFY(back);
    QCOMPARE((*back)->weights().size(), bundle->weights().size());
    const QString arrays = folder.filePath(QStringLiteral("all.NPZ"));
    exportTensors(session, bundle, arrays);
    QTRY_COMPARE(said.size(), 2);
    const auto zipped = Bundle::open(arrays.toStdString());
    QVERIFY2(zipped, zipped ? "" : describe(zipped.error()).c_str());
    QCOMPARE((*zipped)->weights().size(), bundle->weights().size());
    const auto read = [&](const QString &name) {
        const QString path = folder.filePath(name);
        const int before = int(said.size());
        exportReport(session, bundle, {{"w[0]", "a note to find"}}, path);
        [&] { QTRY_COMPARE(said.size(), before + 1); }();
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    };
    const QByteArray html = read(QStringLiteral("report.html"));
    QVERIFY(html.contains("a note to find"));
    for (const Weight &weight : bundle->weights())
        QVERIFY(html.contains(QByteArray::fromStdString(weight.findableName())));
    const QByteArray pdf = read(QStringLiteral("report.pdf"));
    QVERIFY(pdf.startsWith("%PDF"));
    QVERIFY(pdf.size() > 1000);
    exportReport(session, bundle, {}, folder.filePath(QStringLiteral("no/such/folder.html")));
    QTRY_COMPARE(said.size(), 5);
    QVERIFY(said.last().first().toString().contains(QStringLiteral("Not written")));
}

/// On paper: three across, nine a page, none of them torn from its words.
void TestExportJobs::figuresStandBesideOneAnother()
{
    QString html = QStringLiteral("<h2>Weights</h2><p>rows</p><h2>Pictures</h2>");
    for (int i = 0; i < 10; ++i)
        html += QStringLiteral("<figure><img src=\"%1\"><figcaption>w%1</figcaption></figure>\n")
                    .arg(i);
    html += QStringLiteral("<h2>Files</h2>");
    putFiguresOnPages(html);
    QCOMPARE(html.count(QStringLiteral("<table")), 2);
    QCOMPARE(html.count(QStringLiteral("<tr>")), 4);
    QCOMPARE(html.count(QStringLiteral("<td")), 10);
    QVERIFY(html.contains(QStringLiteral("<img src=\"9\"><br>w9</td></tr></table>")));
    QVERIFY(!html.contains(QStringLiteral("fig")));
    // The title and the second page.
    QCOMPARE(html.count(QStringLiteral("page-break-before")), 2);
    QVERIFY(html.contains(QStringLiteral("<h2>Weights</h2>")));
    QVERIFY(html.endsWith(QStringLiteral("<h2>Files</h2>")));
    const QString none = QStringLiteral("<h2>Files</h2>");
    QString same = none;
    putFiguresOnPages(same);
    QCOMPARE(same, none);
}

KERNSCOPE_TEST(TestExportJobs, QApplication)
#include "tst_export_jobs.moc"
