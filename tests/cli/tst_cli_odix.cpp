// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli_process.h"

/// `odix` and the commands that read any bundle, on the program that this project made.
class TestCliOdix : public QObject
{
    Q_OBJECT

private slots:
    void text()
    {
        const CliResult shown = RAN(0, run({u"--instructions"_s}));
        SAYS(shown.out, "scratch memory: 256", "coreai.lut_to_dense", "Memory plan", "set_context");
        QVERIFY(!run({}).out.contains("set_context"));
    }

    void document()
    {
        const CliResult shown = run({u"--json"_s});
        HOLDS(shown.json(), "command=odix odix.functions#=3 odix.buffers.0.views#=4 "
                            "odix.constants.0.coreai_ops=[4]");
    }

    void picture()
    {
        const QString path = m_scratch.filePath(u"plan.svg"_s);
        QCOMPARE(run({u"--memory"_s, path}).exitCode, 0);
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QXmlStreamReader reader(&file);
        int rectangles = 0;
        while (!reader.atEnd()) {
            if (reader.readNext() == QXmlStreamReader::StartElement &&
                reader.name() == QLatin1String("rect"))
                ++rectangles;
        }
        QVERIFY(!reader.hasError());
        QCOMPARE(rectangles, 5);                           // the buffer and four views
        QVERIFY(run({u"--memory"_s, path}).exitCode != 0); // exists
    }

    void againstItself()
    {
        const auto json = RAN(0, run({u"--against"_s, seed(u"made.odix"_s), u"--json"_s})).json();
        QCOMPARE(json["weights"].size(), std::size_t(3));
        for (const auto &row : json["weights"])
            QCOMPARE(row["fate"].get<std::string>(), "kept");
    }

    void otherKind()
    {
        const CliResult other = RAN(3, runCli("odix %", seed(u"two.safetensors"_s)));
        QVERIFY(other.err.contains("compiled Core AI program"));
    }

    void otherCommands_data()
    {
        addColumns<QStringList, QByteArray>();
        const QString path = seed(u"made.odix"_s);
        const auto row = [&path](const char *command, QStringList more, const char *says) {
            addRow(command, QStringList{QLatin1String(command), path} + more, QByteArray(says));
        };
        row("inspect", {}, "layer.0.weight");
        row("weight", {u"layer.0.weight"_s}, "lut");
        row("bytes", {u"0x40"_s, u"--file"_s, u"made.odix"_s}, "program");
        row("graph", {u"mul_1"_s}, "mul_1");
        row("diff", {path}, "identical");
    }

    void otherCommands()
    {
        const auto [arguments, says] = fetched<QStringList, QByteArray>();
        const CliResult shown = RAN(0, runCli(arguments));
        QVERIFY2(shown.out.contains(says), shown.out.constData());
    }

private:
    static QString seed(const QString &name) { return sourcePath(u"tests/fuzz/seeds/"_s + name); }
    static CliResult run(const QStringList &arguments)
    {
        return runCli(args("odix %", seed(u"made.odix"_s)) + arguments);
    }
    QTemporaryDir m_scratch;
};

KERNSCOPE_TEST(TestCliOdix, QCoreApplication)
#include "tst_cli_odix.moc"
