// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli_process.h"
#include "tests/test_program.h"
#include "written_bundle.h"

#include <QTest>
#include <QXmlStreamReader>

#include <algorithm>

using namespace kernscope;
using namespace kernscope::test;

/// `graph`: its table, document and drawings, and what it says where there is nothing to draw.
class TestCliGraph : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void document();
    void table();
    void drawings();
    void outputRules();
    void refusals_data();
    void refusals();
    void noProgram();

private:
    CliResult graph(QStringList arguments) const
    {
        return runCli(QStringList{QStringLiteral("graph"), m_path} + std::move(arguments));
    }
    QByteArray content(const QString &name) const
    {
        QFile file(m_scratch.filePath(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

    QTemporaryDir m_scratch;
    QString m_path;
};

void TestCliGraph::initTestCase()
{
    MadeBundle made;
    made.constant("tensor<fp16, [2, 4]>", "w_palettized",
                  made.blob(ElementType::Fp16, "[2, 4]", halves({1, 2, 3, 4, 5, 6, 7, 8})));
    made.consume("w_palettized");
    made.line("tensor<fp16, [1, 2]> y = relu(x = out0)[name = string(\"y\")]");
    made.result = "y";
    m_path = writeBundle(m_scratch, "x.mlmodelc", made);
    QVERIFY(!m_path.isEmpty());
}

void TestCliGraph::document()
{
    const CliResult made = graph({QStringLiteral("out0"), QStringLiteral("--hops"),
                                  QStringLiteral("1"), QStringLiteral("--json")});
    QCOMPARE(made.exitCode, 0);
    const auto json = made.json();
    QCOMPARE(json["function"].get<std::string>(), std::string("main"));
    QCOMPARE(json["centers"].dump(), std::string("[\"out0\"]"));
    QCOMPARE(json["left_out"].get<int>(), 0);
    QCOMPARE(json["nodes"].size(), std::size_t(4));
    QCOMPARE(json["edges"].size(), std::size_t(3));
    const auto named = [&](const char *name) {
        return *std::find_if(json["nodes"].begin(), json["nodes"].end(),
                             [name](const auto &node) { return node["name"] == name; });
    };
    QCOMPARE(named("w_palettized")["kind"].get<std::string>(), std::string("weight"));
    QCOMPARE(named("w_palettized")["form"].get<std::string>(), std::string("dense-fp16"));
    QCOMPARE(named("w_palettized")["stored_bytes"].get<int>(), 16);
    QCOMPARE(named("out0")["op"].get<std::string>(), std::string("linear"));
    QCOMPARE(named("out0")["shape"].dump(), std::string("[1,2]"));
    QCOMPARE(named("y")["more_after"].get<int>(), 1);
    for (const auto &edge : json["edges"]) {
        if (edge["value"] == "w_palettized")
            QCOMPARE(edge["param"].get<std::string>(), std::string("weight"));
    }
}

void TestCliGraph::table()
{
    // A weight is found without the converter's suffix too, as everywhere.
    const CliResult made = graph({QStringLiteral("w")});
    QCOMPARE(made.exitCode, 0);
    for (const char *wanted : {"function main", "w_palettized", "dense-fp16", "linear", "relu"})
        QVERIFY2(made.out.contains(wanted), made.out);
    const CliResult small = graph({QStringLiteral("--limit"), QStringLiteral("1")});
    QCOMPARE(small.exitCode, 0);
    QVERIFY2(small.out.contains("1 more operation"), small.out);
    QVERIFY2(small.err.contains("left out"), small.err);
}

void TestCliGraph::drawings()
{
    const CliResult svg =
        graph({QStringLiteral("--svg"), m_scratch.filePath(QStringLiteral("x.svg")),
               QStringLiteral("--json")});
    QCOMPARE(svg.exitCode, 0);
    QVERIFY(svg.json().contains("output"));
    QXmlStreamReader reader(content(QStringLiteral("x.svg")));
    int texts = 0;
    while (!reader.atEnd())
        texts += reader.readNext() == QXmlStreamReader::StartElement &&
                         reader.name() == QStringLiteral("text")
                     ? 1
                     : 0;
    QVERIFY2(!reader.hasError(), qPrintable(reader.errorString()));
    QVERIFY(texts >= 8);
    QCOMPARE(graph({QStringLiteral("--dot"), m_scratch.filePath(QStringLiteral("x.dot")),
                    QStringLiteral("--right")})
                 .exitCode,
             0);
    QVERIFY(content(QStringLiteral("x.dot")).contains("rankdir=LR"));
}

void TestCliGraph::outputRules()
{
    const QString path = m_scratch.filePath(QStringLiteral("there.svg"));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("mine");
    file.close();
    QVERIFY(graph({QStringLiteral("--svg"), path}).exitCode != 0);
    QCOMPARE(content(QStringLiteral("there.svg")), QByteArray("mine"));
    QCOMPARE(graph({QStringLiteral("--svg"), path, QStringLiteral("--force")}).exitCode, 0);
    QVERIFY(content(QStringLiteral("there.svg")).startsWith("<?xml"));
    // Never an input.
    const QString input = m_path + QStringLiteral("/model.mil");
    QVERIFY(graph({QStringLiteral("--dot"), input, QStringLiteral("--force")}).exitCode != 0);
    QVERIFY(graph({}).exitCode == 0);
}

void TestCliGraph::refusals_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("said");
    const auto row = [](const char *name, const QString &arguments, const char *said) {
        QTest::newRow(name) << arguments.split(QLatin1Char(' '), Qt::SkipEmptyParts)
                            << QByteArray(said);
    };
    row("no such name", QStringLiteral("outO"), "out0");
    row("no such function", QStringLiteral("--function mian"), "main");
    row("no hops", QStringLiteral("--hops 0"), "--hops");
    row("many hops", QStringLiteral("--hops 7"), "--hops");
    row("two outputs", QStringLiteral("--svg a --dot b"), "--svg");
}

void TestCliGraph::refusals()
{
    QFETCH(const QStringList, arguments);
    QFETCH(const QByteArray, said);
    const CliResult made = graph(arguments);
    QCOMPARE(made.exitCode, 2);
    QVERIFY2(made.err.contains(said), made.err);
}

void TestCliGraph::noProgram()
{
    milblob::Writer writer;
    writer.add(ElementType::Fp16, halves({1, 2}), 0);
    const QString path = m_scratch.filePath(QStringLiteral("weight.bin"));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    const Bytes bytes = writer.finish();
    file.write(reinterpret_cast<const char *>(bytes.data()), qint64(bytes.size()));
    file.close();
    const CliResult made = runCli({QStringLiteral("graph"), path});
    QCOMPARE(made.exitCode, 3);
    QVERIFY2(made.err.contains("There is no program to draw"), made.err);
}

KERNSCOPE_TEST(TestCliGraph, QCoreApplication)
#include "tst_cli_graph.moc"
