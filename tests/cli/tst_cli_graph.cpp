// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli_process.h"

/// `graph`: its table, document and drawings, and what it says where there is nothing to draw.
class TestCliGraph : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        MadeBundle made;
        made.layer("w_palettized", "[2, 4]", halves({1, 2, 3, 4, 5, 6, 7, 8}));
        made.op("y", "[1, 2]", "relu(x = out0)");
        made.result = "y";
        m_path = writeBundle(m_scratch, "x.mlmodelc", made);
        QVERIFY(!m_path.isEmpty());
    }

    void document()
    {
        const auto json = RAN(0, graph({u"out0"_s, u"--hops"_s, u"1"_s, u"--json"_s})).json();
        HOLDS(json, "function=main centers=[\"out0\"] left_out=0 nodes#=4 edges#=3");
        const auto named = [&](const char *name) {
            return *std::find_if(json["nodes"].begin(), json["nodes"].end(),
                                 [name](const auto &node) { return node["name"] == name; });
        };
        QCOMPARE(named("w_palettized")["kind"].get<std::string>(), "weight");
        QCOMPARE(named("w_palettized")["form"].get<std::string>(), "dense-fp16");
        QCOMPARE(named("w_palettized")["stored_bytes"].get<int>(), 16);
        QCOMPARE(named("out0")["op"].get<std::string>(), "linear");
        QCOMPARE(named("out0")["shape"].dump(), "[1,2]");
        QCOMPARE(named("y")["more_after"].get<int>(), 1);
        for (const auto &edge : json["edges"]) {
            if (edge["value"] == "w_palettized")
                QCOMPARE(edge["param"].get<std::string>(), "weight");
        }
    }

    void table()
    {
        // A weight is found without the converter's suffix too, as everywhere.
        const CliResult made = RAN(0, graph({u"w"_s}));
        SAYS(made.out, "function main", "w_palettized", "dense-fp16", "linear", "relu");
        const CliResult small = RAN(0, graph({u"--limit"_s, u"1"_s}));
        QVERIFY2(small.out.contains("1 more operation"), small.out);
        QVERIFY2(small.err.contains("left out"), small.err);
    }

    void drawings()
    {
        const CliResult svg =
            RAN(0, graph({u"--svg"_s, m_scratch.filePath(u"x.svg"_s), u"--json"_s}));
        QVERIFY(svg.json().contains("output"));
        QXmlStreamReader reader(content(u"x.svg"_s));
        int texts = 0;
        while (!reader.atEnd())
            texts +=
                reader.readNext() == QXmlStreamReader::StartElement && reader.name() == u"text"_s
                    ? 1
                    : 0;
        QVERIFY2(!reader.hasError(), qPrintable(reader.errorString()));
        QVERIFY(texts >= 8);
        QCOMPARE(graph({u"--dot"_s, m_scratch.filePath(u"x.dot"_s), u"--right"_s}).exitCode, 0);
        QVERIFY(content(u"x.dot"_s).contains("rankdir=LR"));
    }

    void outputRules()
    {
        const QString path = m_scratch.filePath(u"there.svg"_s);
        QVERIFY(put(path, "mine"));
        QVERIFY(graph({u"--svg"_s, path}).exitCode != 0);
        QCOMPARE(content(u"there.svg"_s), QByteArray("mine"));
        QCOMPARE(graph({u"--svg"_s, path, u"--force"_s}).exitCode, 0);
        QVERIFY(content(u"there.svg"_s).startsWith("<?xml"));
        // Never an input.
        const QString input = m_path + u"/model.mil"_s;
        QVERIFY(graph({u"--dot"_s, input, u"--force"_s}).exitCode != 0);
        QVERIFY(graph({}).exitCode == 0);
    }

    void refusals_data()
    {
        addColumns<QStringList, QByteArray>();
        const auto row = [](const char *name, const QString &arguments, const char *said) {
            addRow(name, arguments.split(QLatin1Char(' '), Qt::SkipEmptyParts), QByteArray(said));
        };
        row("no such name", u"outO"_s, "out0");
        row("no such function", u"--function mian"_s, "main");
        row("no hops", u"--hops 0"_s, "--hops");
        row("many hops", u"--hops 7"_s, "--hops");
        row("two outputs", u"--svg a --dot b"_s, "--svg");
    }

    void refusals()
    {
        const auto [arguments, said] = fetched<QStringList, QByteArray>();
        const CliResult made = RAN(2, graph(arguments));
        QVERIFY2(made.err.contains(said), made.err);
    }

    void noProgram()
    {
        milblob::Writer writer;
        writer.add(ElementType::Fp16, halves({1, 2}), 0);
        const QString path = m_scratch.filePath(u"weight.bin"_s);
        QVERIFY(put(path, writer.finish()));
        const CliResult made = RAN(3, runCli("graph %", path));
        QVERIFY2(made.err.contains("There is no program to draw"), made.err);
    }

private:
    CliResult graph(QStringList arguments) const
    {
        return runCli(args("graph %", m_path) + std::move(arguments));
    }
    QByteArray content(const QString &name) const { return contentOf(m_scratch.filePath(name)); }

    QTemporaryDir m_scratch;
    QString m_path;
};

KERNSCOPE_TEST(TestCliGraph, QCoreApplication)
#include "tst_cli_graph.moc"
