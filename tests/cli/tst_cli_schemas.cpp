// SPDX-License-Identifier: GPL-3.0-or-later
// The documents of --json against their published schemas (resources/schemas).
#include "cli_process.h"
#include "tests/data/data_folder.h"

#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

using Document = nlohmann::json;

namespace {

/// Of the tree; the same files are installed.
QString schemaFolder()
{
    return sourcePath(u"resources/schemas/"_s);
}

/// What is wrong with a document of that command; empty where it holds.
QString faultOf(const QString &command, const Document &document)
{
    QFile file(schemaFolder() + command + u".json"_s);
    if (!file.open(QIODevice::ReadOnly))
        return u"no schema of "_s + command;
    using Adapter = valijson::adapters::NlohmannJsonAdapter;
    const Document text = Document::parse(file.readAll().toStdString());
    valijson::Schema schema;
    valijson::SchemaParser(valijson::SchemaParser::kDraft7).populateSchema(Adapter(text), schema);
    valijson::ValidationResults results;
    if (valijson::Validator().validate(schema, Adapter(document), &results))
        return {};
    valijson::ValidationResults::Error error;
    QString all;
    while (results.popError(error)) {
        for (const std::string &part : error.context)
            all += QString::fromStdString(part);
        all += u": "_s + QString::fromStdString(error.description) + u'\n';
    }
    return all;
}

} // namespace

class TestCliSchemas : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        MadeBundle made;
        made.layer("w", "[32, 32]", Bytes(2048, std::byte{0x31}));
        made.constant("fp32", "one", "fp32(0x1p+0)");
        made.line("fp32 e = exp(x = one)[name = string(\"e\")]"); // what convert looks for
        writeBundle(m_scratch, "a.mlmodelc", made);
        QVERIFY(put(m_scratch.filePath(u"a.mlmodelc/metadata.json"_s), "{}")); // what survey knows
        writeBundle(m_scratch, "cut.mlmodelc", made);
        QFile weights(m_scratch.filePath(u"cut.mlmodelc/weights/weight.bin"_s));
        QVERIFY(weights.resize(weights.size() - 64));
    }

    void documentsHold_data()
    {
        QTest::addColumn<QString>("line");
        for (const char *line : {"inspect %/a.mlmodelc --stats --hash --sections",
                                 "inspect %/a.mlmodelc --findings",
                                 "inspect %/a.mlmodelc --coverage",
                                 "inspect %/a.mlmodelc --coverage --expect *=palette4",
                                 "weight %/a.mlmodelc w",
                                 "bytes %/a.mlmodelc w",
                                 "decode %/a.mlmodelc w -o %/w.npy",
                                 "find %/a.mlmodelc --largest 3",
                                 "graph %/a.mlmodelc",
                                 "diff %/a.mlmodelc %/a.mlmodelc --values",
                                 "patch %/a.mlmodelc --set w[0,0]=1 --dry-run",
                                 "recover %/a.mlmodelc --dry-run",
                                 "encode %/a.mlmodelc w --form affine -o %/b.mlmodelc",
                                 "convert %/a.mlmodelc --to fp16 -o %/h.mlmodelc",
                                 "quantize %/w.npy --format mxfp8 -o %/q",
                                 "dequantize %/q",
                                 "relayout %/q --layout nz -o %/nz",
                                 "survey %/a.mlmodelc",
                                 "section build %/a.mlmodelc -o %/w.ksec",
                                 "plan %/a.mlmodelc --minimise stored -o %/p.mlmodelc",
                                 "reduce 1e9 1*5000",
                                 "roofline %/a.mlmodelc --target A12",
                                 "choose %/a.mlmodelc --tolerance 0.1",
                                 "plan %/a.mlmodelc --target M1 --tolerance 0.05",
                                 "decide %/a.mlmodelc",
                                 "geometry %/a.mlmodelc",
                                 "roofline %/a.mlmodelc",
                                 "reduce 1 2 3",
                                 "calibrate",
                                 "targets",
                                 "formats",
                                 "collective",
                                 "descriptor",
                                 "audit %/a.mlmodelc --against %/w.safetensors",
                                 "selftest"})
            addRow(line, QString::fromLatin1(line));
    }

    void documentsHold()
    {
        QFETCH(QString, line);
        if (line.startsWith(u"audit"_s))
            QCOMPARE(runCli(arguments(u"decode %/a.mlmodelc --all -o %/w.safetensors"_s)).exitCode,
                     0);
        const CliResult run = runCli(arguments(line) + args("--json"));
        QVERIFY2(run.exitCode <= 1, run.err.constData());
        QCOMPARE(faultOf(line.section(u' ', 0, 0), Document::parse(run.out.toStdString())),
                 QString());
        // What is not known of a weight that cannot be read.
        const CliResult cut = runCli(arguments(line.replace(u"a.mlm"_s, u"cut.mlm"_s)) +
                                     args("--json --force").first(line.contains(u" -o ") ? 2 : 1));
        QCOMPARE(faultOf(line.section(u' ', 0, 0), Document::parse(cut.out.toStdString())),
                 QString());
    }

    void dataHolds_data()
    {
        QTest::addColumn<QString>("line");
        for (const char *line :
             {"survey /data/bundles/affine8.mlmodelc",
              "inspect /peers/odix/dense-1mb/dense-1mb.aimodelx",
              "odix /peers/odix/dense-1mb/dense-1mb.aimodelx --instructions",
              "odix /peers/odix-hostile/attributes-unfold.aimodelx",
              "choose /data/real/dtln/DTLN_AEC_128_Part1.mlpackage",
              "plan /data/real/silero-vad/unified_palette_6bit.mlmodelc --target M1",
              "plan /peers/coreai/dynamic-extents/dynamic-extents.aimodel --target M1",
              "section build /data/real/hwx/model.hwx.golden-f459291c15.hwx -f -o %/w.ksec",
              "section list %/w.ksec",
              "activation /data/real/hwx/sigmoid-451e944648.hwx --input -1,0,1",
              "hwx /data/real/hwx/conv-ebc7f8305c.hwx", "hwx --survey /data/real/hwx"})
            addRow(line, QString::fromLatin1(line));
    }

    /// Files that other tools wrote: what is not known of them is null.
    void dataHolds()
    {
        QFETCH(QString, line);
        const QString folder = dataFolder() + u"/.."_s;
        QStringList words = arguments(line);
        for (QString &word : words) {
            if (!word.startsWith(u"/data/"_s) && !word.startsWith(u"/peers/"_s))
                continue;
            word.prepend(folder);
            KERNSCOPE_NEEDS(word);
        }
        const CliResult run = runCli(words + args("--json"));
        QCOMPARE(faultOf(words.first(), Document::parse(run.out.toStdString())), QString());
    }

    void failuresHold_data()
    {
        QTest::addColumn<QString>("command");
        for (const QString &name : QDir(schemaFolder()).entryList(QDir::Files))
            QTest::addRow("%s", qPrintable(name)) << name.chopped(5);
    }

    /// Wrong use and what cannot be opened: what the command could not answer is no key then.
    void failuresHold()
    {
        QFETCH(QString, command);
        for (const char *rest : {"%/no-such-file", "--no-such-option"}) {
            const CliResult run =
                runCli(arguments(command + u' ' + QString::fromLatin1(rest)) + args("--json"));
            QVERIFY(run.exitCode >= 2);
            const Document document = Document::parse(run.out.toStdString());
            QCOMPARE(faultOf(QString::fromStdString(document["command"]), document), QString());
        }
    }

    void everyRequiredKeyIsLookedFor()
    {
        const CliResult run = runCli(arguments(u"inspect %/a.mlmodelc --json"_s));
        const Document whole = Document::parse(run.out.toStdString());
        for (const char *key : {"schema", "diagnostics", "weights", "files"}) {
            Document less = whole;
            less.erase(key);
            QVERIFY2(!faultOf(u"inspect"_s, less).isEmpty(), key);
        }
        Document other = whole;
        other["weights"][0]["stored_bytes"] = "2048";
        QVERIFY(!faultOf(u"inspect"_s, other).isEmpty());
    }

    /// The page for scripts is made of the schemas.
    void pageNamesTheKeys()
    {
        const QString page = textOf(sourcePath(u"resources/help/scripts.md"_s));
        for (const QString &name : QDir(schemaFolder()).entryList(QDir::Files)) {
            QFile schema(schemaFolder() + name);
            QVERIFY(schema.open(QIODevice::ReadOnly));
            const QString title = u"## "_s + name.chopped(5) + u'\n';
            QVERIFY2(page.contains(title), qPrintable(name));
            const QString section = page.section(title, 1).section(u"\n## "_s, 0, 0);
            QVERIFY2(section.count(u'\n') <= 14, qPrintable(name));
            const Document keys = Document::parse(schema.readAll().toStdString())["properties"];
            for (const auto &[key, type] : keys.items()) {
                const bool common = key == "schema" || key == "tool" || key == "version" ||
                                    key == "command" || key == "diagnostics";
                QVERIFY2(common || section.contains(QString::fromStdString(key)), key.c_str());
            }
        }
    }

private:
    QStringList arguments(QString line) const
    {
        return line.replace(u'%', m_scratch.path()).split(u' ');
    }
    QTemporaryDir m_scratch;
};

KERNSCOPE_TEST(TestCliSchemas, QCoreApplication)
#include "tst_cli_schemas.moc"
