// SPDX-License-Identifier: GPL-3.0-or-later
// What is written as a protobuf, read again by Apple's published definitions (the customer's folder
// reference/coreml-proto) with protoc, which knows nothing of this program.
#include "cli_process.h"
#include "tests/data/data_folder.h"

namespace {

/// The model's protobuf of a package or of a lone file.
QString modelOf(const QString &path)
{
    return QFileInfo(path).isDir() ? path + u"/Data/com.apple.CoreML/model.mlmodel"_s : path;
}

qsizetype indentOf(const QString &line)
{
    qsizetype indent = 0;
    while (indent < line.size() && line[indent] == u' ')
        ++indent;
    return indent;
}

/// Without the operations that only make constants, and with what a re-encoded weight and a raised
/// operation set have to change written the same everywhere.
QStringList withoutConstants(const QStringList &lines)
{
    struct Open {
        qsizetype indent, begin;
        bool constant;
    };
    static const QRegularExpression asked(
        u"^( *)(specificationVersion: |opset: \"CoreML|key: \"CoreML|offset: )[0-9]+\"?$"_s);
    QStringList kept;
    QList<Open> open;
    for (const QString &line : lines) {
        const qsizetype indent = indentOf(line);
        const QString word = line.trimmed();
        if (word == u"operations {")
            open.append({indent, kept.size(), false});
        else if (!open.isEmpty() && indent == open.last().indent + 2 &&
                 (word == u"type: \"const\"" || word.startsWith(u"type: \"constexpr_")))
            open.last().constant = true;
        QString same = line;
        kept += same.replace(asked, u"\\1\\2"_s);
        if (word == u"}" && !open.isEmpty() && indent == open.last().indent) {
            const Open done = open.takeLast();
            if (done.constant)
                kept.remove(done.begin, kept.size() - done.begin);
        }
    }
    return kept;
}

} // namespace

class TestCliDefinitions : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        m_definitions = dataFolder() + u"/../reference/coreml-proto"_s;
        KERNSCOPE_NEEDS(m_definitions + u"/Model.proto"_s);
        m_protoc = QStandardPaths::findExecutable(u"protoc"_s);
        QVERIFY2(!m_protoc.isEmpty(), "protoc is missing (packaging/packages.txt)");
    }

    void originals_data()
    {
        QTest::addColumn<QString>("path");
        for (const char *path :
             {"real/basic-pitch/nmp.mlpackage", "real/dtln/DTLN_AEC_128_Part1.mlpackage",
              "real/silero-vad/unified_palette_4bit.mlpackage",
              "real/silero-vad/unified_pruned_int8.mlpackage", "../samples/models/network.mlmodel",
              "../samples/models/network-pipeline.mlmodel",
              "../samples/models/pipeline-nms.mlpackage",
              "../samples/models/pipeline-two.mlpackage"})
            addRow(path, source(QString::fromUtf8(path)));
    }

    /// The definitions know every field of the originals: what is unknown in a copy is ours.
    void originals()
    {
        QFETCH(QString, path);
        QString fault;
        QVERIFY(decode(path, fault).size() > 100);
        QCOMPARE(fault, QString());
    }

    void patched_data()
    {
        const auto row = addColumns<QString, QString>();
        row("network, fp32", source(u"../samples/models/network.mlmodel"_s),
            "conv_0.weights[0,0,0,0]=0.5");
        row("network, fp16", source(u"../samples/models/network.mlmodel"_s),
            "conv_1.weights[3,0,1,2]=0.5");
        row("network in a pipeline", source(u"../samples/models/network-pipeline.mlmodel"_s),
            "model0/conv_1.weights[0,0,0,0]=0.5");
    }

    /// One value: one line differs, in what follows the field's name.
    void patched()
    {
        const auto [path, edit] = fetched<QString, QString>();
        const QString copy = m_scratch.filePath(u"patched.mlmodel"_s);
        const CliResult result =
            RAN(0, runCli("patch % --set % --output % --force", path, edit, copy));
        QString fault;
        const QStringList before = decode(path, fault), after = decode(copy, fault);
        QCOMPARE(fault, QString());
        QCOMPARE(after.size(), before.size());
        qsizetype changed = 0;
        for (qsizetype i = 0; i < before.size(); ++i) {
            changed += before[i] == after[i] ? 0 : 1;
            QCOMPARE(after[i].section(u':', 0, 0), before[i].section(u':', 0, 0));
        }
        QCOMPARE(changed, 1);
    }

    /// A file of its own: the parts of the weight lie in the one that was written.
    void encodedNetwork()
    {
        const QString path = source(u"../samples/models/network.mlmodel"_s);
        const QString copy = m_scratch.filePath(u"encoded.mlmodel"_s);
        HOLDS(runCli("encode % conv_0.weights --form dense --output % --force --json", path, copy)
                  .json(),
              "before.parts.0.file=network.mlmodel after.parts.0.file=encoded.mlmodel");
    }

    void encoded_data()
    {
        const auto row = addColumns<QString, QString, QStringList>();
        const QString pitch = source(u"real/basic-pitch/nmp.mlpackage"_s);
        const QString kernel = u"StatefulPartitionedCall_model_1_batch_normalization_2_"
                               "FusedBatchNormV3_nchw_weight_0"_s;
        const QString silero = source(u"real/silero-vad/unified_palette_4bit.mlpackage"_s);
        const QString two = source(u"../samples/models/pipeline-two.mlpackage"_s);
        row("palette, iOS 15 raised", pitch, kernel, {u"--form"_s, u"palette"_s});
        row("sparse, iOS 15 raised", pitch, kernel,
            {u"--form"_s, u"sparse"_s, u"--density"_s, u"0.3"_s});
        row("blockwise, iOS 15 raised to 18", pitch, kernel,
            {u"--form"_s, u"blockwise"_s, u"--block"_s, u"8"_s});
        row("affine, raised further than the form needs", pitch, kernel,
            {u"--form"_s, u"affine"_s, u"--opset"_s, u"ios17"_s});
        row("affine instead of a palette", silero, "concat_1_palettized",
            {u"--form"_s, u"affine"_s});
        row("dense instead of a palette", silero, "concat_1_palettized", {u"--form"_s, u"dense"_s});
        row("in a pipeline", two, "second/main/concat_1_palettized", {u"--form"_s, u"affine"_s});
    }

    /// Every operation that is no constant, and all that is around the program, stays as it was.
    void encoded()
    {
        const auto [path, weight, options] = fetched<QString, QString, QStringList>();
        const QString copy = m_scratch.filePath(u"encoded.mlpackage"_s);
        QDir(copy).removeRecursively();
        const CliResult result =
            RAN(0, runCli(args("encode % % --output %", path, weight, copy) + options));
        QString fault;
        const QStringList before = decode(path, fault), after = decode(copy, fault);
        QCOMPARE(fault, QString());
        QVERIFY(before != after);
        const QStringList kept = withoutConstants(before);
        QVERIFY(kept.size() > 200);
        QCOMPARE(withoutConstants(after), kept);
    }

    void planned_data()
    {
        addColumns<QString, QStringList>();
        const QStringList four =
            args("--forms palette4 --forms int8 --forms sparse-0.5 --forms palette8");
        addRow("convolutions, iOS 15 raised", source(u"real/basic-pitch/nmp.mlpackage"_s),
               four + args("--tolerance 0.1 --minimise stored"));
        addRow("LSTM without times", source(u"real/dtln/DTLN_AEC_128_Part1.mlpackage"_s),
               four + args("--tolerance 0.05"));
        addRow("grouped palettes, iOS 15 raised to 18", source(u"real/basic-pitch/nmp.mlpackage"_s),
               args("--forms palette4-g2 --target M4 --tolerance 0.2 --minimise stored"));
    }

    /// A plan's bundle, by the published definitions, and by our own reader: what was promised.
    void planned()
    {
        const auto [path, options] = fetched<QString, QStringList>();
        const QString copy = m_scratch.filePath(u"planned.mlpackage"_s);
        QDir(copy).removeRecursively();
        const auto json =
            RAN(0, runCli(args("plan % --json --output %", path, copy) + options)).json();
        std::size_t changed = 0;
        for (const auto &row : json["plan"])
            changed += row["changed"].get<bool>() ? 1 : 0;
        QVERIFY(changed > 0);
        QString fault;
        const QStringList before = decode(path, fault), after = decode(copy, fault);
        QCOMPARE(fault, QString());
        QVERIFY(before != after);
        QCOMPARE(withoutConstants(after), withoutConstants(before));
        const CliResult written = RAN(0, runCli("inspect % --json", copy));
        QCOMPARE(text(written.json()["totals"]["stored_bytes"]),
                 text(json["totals"]["after"]["bytes"]));
    }

private:
    /// Its lines as protoc prints them; a field that the definitions do not have is a fault.
    QStringList decode(const QString &path, QString &fault) const
    {
        QProcess protoc;
        protoc.setStandardInputFile(modelOf(path));
        protoc.start(m_protoc, {u"--decode=CoreML.Specification.Model"_s,
                                u"--proto_path="_s + m_definitions, u"Model.proto"_s});
        if (!protoc.waitForFinished(120000) || protoc.exitCode() != 0)
            fault = u"not a Model: "_s + QString::fromUtf8(protoc.readAllStandardError());
        const QStringList lines = QString::fromUtf8(protoc.readAllStandardOutput()).split(u'\n');
        static const QRegularExpression number(u"^ *[0-9]+(:| \\{)"_s);
        for (const QString &line : lines) {
            if (number.match(line).hasMatch())
                fault = u"unknown field: "_s + line;
        }
        return lines;
    }

    QString source(const QString &relative) const { return dataFolder() + u'/' + relative; }

    QString m_definitions, m_protoc;
    QTemporaryDir m_scratch;
};

KERNSCOPE_TEST(TestCliDefinitions, QCoreApplication)
#include "tst_cli_definitions.moc"
