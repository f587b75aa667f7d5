// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli_process.h"

using Json = nlohmann::ordered_json;

namespace {

MadeBundle sparseBundle(const Bytes &values)
{
    MadeBundle made;
    const auto mask = made.blob(ElementType::Uint1, "[2, 4]", hex("05"));
    const auto kept =
        made.blob(ElementType::Fp16, "[" + std::to_string(values.size() / 2) + "]", values);
    made.form("w", "[2, 4]", "sparse_to_dense", {{"mask", mask}, {"nonzero_data", kept}});
    return made;
}

} // namespace

/// `inspect` and what all commands have in common: exit codes, streams, JSON.
class TestCliInspect : public QObject
{
    Q_OBJECT

private slots:
    /// What is there, and is not what the command reads: one mistake, one status.
    void anotherKind()
    {
        const QString bundle = writeBundle(m_scratch, "kind.mlmodelc", MadeBundle());
        const QString file = m_scratch.filePath(u"kind.txt"_s);
        QVERIFY(put(file, "text"));
        for (const QString &path : {m_scratch.path(), bundle, file}) {
            for (const char *command : {"hwx", "odix", "section list", "dequantize", "survey"}) {
                if (path == bundle && QByteArrayView(command) == "survey")
                    continue; // which says that nothing of it runs on the engine
                const CliResult result =
                    RAN(3, runCli(QString::fromLatin1(command).split(u' ') + QStringList{path}));
            }
        }
    }

    void unreadable_data()
    {
        QTest::addColumn<QByteArray>("content"); // null: no file at all
        QTest::addColumn<int>("exitCode");
        QTest::addColumn<QByteArray>("code");
        const DataRow<QByteArray, int, QByteArray> row;
        row("no file", {}, 4, "io.open");
        row("another kind", "PK\x03\x04", 3, "bundle.kind");
        row("empty", "", 3, "bundle.kind");
    }

    void unreadable()
    {
        QFETCH(QByteArray, content);
        QFETCH(int, exitCode);
        QFETCH(QByteArray, code);
        const QString path = m_scratch.filePath(u"unreadable"_s);
        QFile::remove(path);
        if (!content.isNull())
            QVERIFY(put(path, content));
        const CliResult people = RAN(exitCode, runCli("inspect %", path));
        QVERIFY(people.out.isEmpty() && people.err.contains(code));
        const CliResult result = RAN(exitCode, runCli("inspect % --json", path));
        const Json json = result.json();
        HOLDS(json, "command=inspect diagnostics#=1");
        QCOMPARE(text(json["diagnostics"][0]["code"]), text(code.toStdString()));
        QVERIFY(result.err.isEmpty());
    }

    void document()
    {
        const QString path =
            writeBundle(m_scratch, "sound.mlmodelc", sparseBundle(halves({1, -2})));
        const CliResult result = RAN(0, runCli("inspect % --json", path));
        QVERIFY(result.err.isEmpty());
        const Json json = result.json();
        QVERIFY(!json.is_discarded());
        HOLDS(json, "bundle=sound.mlmodelc weights.0.form=sparse !weights.0.sha256");
        std::map<std::string, std::uint64_t> covered;
        for (const Json &section : json["sections"]) {
            const std::string file = section["file"];
            QCOMPARE(section["offset"].get<std::uint64_t>(), covered[file]);
            covered[file] += section["bytes"].get<std::uint64_t>();
        }
        for (const Json &file : json["files"])
            QCOMPARE(covered[file["path"]], file["bytes"].get<std::uint64_t>());
    }

    /// The first rows of the numbers of a model, and how many more there are; what a node does.
    void numbers()
    {
        QByteArray trees; // nodes of two bytes of content: what they do
        for (char i = 0; i < 22; ++i)
            trees += QByteArray("\x0a\x02\x18", 3) + char(i % 7);
        const auto message = [](const char *tag, const QByteArray &content) {
            return tag + QByteArray(1, static_cast<char>(content.size())) + content;
        };
        const QByteArray ensemble = QByteArray("\x0a\x58", 2) + trees; // 88 bytes
        const QString path = m_scratch.filePath(u"trees.mlmodel"_s);
        QVERIFY(put(path, QByteArray("\x08\x01", 2) + message("\xf2\x12", ensemble)));
        const CliResult result = runCli("inspect % --numbers", path);
        SAYS(result.out, "  nodes: 22 rows\n", "0  0  BranchOnValueLessThanEqual  0",
             "0  0  LeafNode  -  -  -  -  -  0", "    2 rows more (--json has all)\n");
        const Json json = runCli("inspect % --numbers --json", path).json();
        HOLDS(json, "numbers.0.rows#=22 numbers.0.rows.6.2=6.0 numbers.0.rows.6.3=null");
    }

    void forPeople()
    {
        const QString path = writeBundle(m_scratch, "text.mlmodelc", sparseBundle(halves({1, -2})));
        const CliResult result = RAN(0, runCli("inspect % --stats --sections", path));
        SAYS(result.out, "w: nonzero_data", "75.0 %");
        QVERIFY(!result.out.contains('\x1b')); // no terminal, no colour
        QVERIFY(result.err.isEmpty());         // and no progress
        const CliResult quiet = RAN(0, runCli("inspect % --quiet", path));
        QVERIFY(quiet.out.isEmpty() && quiet.err.isEmpty());
    }

    /// One bad record: exit 3, its place is named, the sound weight is still there.
    void damaged()
    {
        MadeBundle made = sparseBundle(halves({1, -2}));
        made.weight("bad", "[2]", halves({3, 4}));
        Bytes weights = made.weights();
        weights[made.lastRecord()] = std::byte(0);
        const QString path = writeBundle(m_scratch, "bad.mlmodelc", made.text(), weights);
        const Json json = RAN(3, runCli("inspect % --json --stats", path)).json();
        QCOMPARE(json["diagnostics"].size(), std::size_t(1));
        const Json &row = json["diagnostics"][0];
        HOLDS(row, "severity=error code=blob.sentinel file=weights/weight.bin");
        QCOMPARE(row["offset"].get<std::uint64_t>(), made.lastRecord());
        HOLDS(json, "errors#=1 weights#=2 weights.0.min=-2.0 weights.1.fault.code=blob.sentinel");
        const CliResult people = RAN(3, runCli("inspect %", path));
        QVERIFY(people.out.contains("! bad"));
        QVERIFY(people.err.contains("blob.sentinel"));
    }

    /// Without --stats as well: a mask that disagrees with its values is bad input.
    void maskAgainstValues()
    {
        const QString path =
            writeBundle(m_scratch, "mask.mlmodelc", sparseBundle(halves({1, 2, 3})));
        const Json row = RAN(3, runCli("inspect % --json", path)).json()["diagnostics"][0];
        HOLDS(row, "code=codec.mask offset=128");
    }

    void onlyWhatIsAskedFor()
    {
        MadeBundle made = sparseBundle(halves({1, 2}));
        made.line("tensor<fp16, [2]> d = const()[name = string(\"d\"), val = " +
                  made.blob(ElementType::Fp16, "[2]", halves({3, 4})) + "]");
        made.consume("d");
        const QString path = writeBundle(m_scratch, "where.mlmodelc", made);
        const auto namesWhere = [&path](const char *where) {
            const CliResult result =
                runCli("inspect % --json --where %", path, QString::fromLatin1(where));
            QStringList names;
            const Json document = result.json();
            for (const Json &weight : document["weights"])
                names += QString::fromStdString(weight["name"]);
            return result.exitCode == 0 ? names.join(u' ') : u"failed"_s;
        };
        QCOMPARE(namesWhere("form:sparse"), u"w"_s);
        QCOMPARE(namesWhere("-form:sparse"), u"d"_s);
        QCOMPARE(namesWhere("zeros>0.5"), u"w"_s); // counted without --stats
        QCOMPARE(namesWhere("zeros<0.5"), u"d"_s);
        QCOMPARE(namesWhere("bytes>1M"), QString());
        QCOMPARE(namesWhere("dense:M1"), u"d"_s);
        const CliResult people = RAN(0, runCli("inspect % --where axes=1", path));
        QVERIFY(!people.out.contains("sparse "));
        for (const char *bad : {"zeros>", "colour:red", "folds:M99"}) {
            const CliResult refused =
                RAN(2, runCli("inspect % --where %", path, QString::fromLatin1(bad)));
            QVERIFY(!refused.err.isEmpty());
        }
    }

    void namesThatAreNoText()
    {
        MadeBundle made;
        made.line("tensor<fp16, [2]> w = const()[name = string(\"a\xff\x1b[31m\"), val = " +
                  made.blob(ElementType::Fp16, "[2]", halves({3, 4})) + "]");
        const QString path = writeBundle(m_scratch, "names.mlmodelc", made);
        const CliResult result = runCli("inspect % --json", path);
        QVERIFY(!result.json().is_discarded());
        QVERIFY(!runCli("inspect %", path).out.contains('\x1b'));
    }

    void fullDisk()
    {
        if (!QFile::exists(u"/dev/full"_s))
            QSKIP("There is no /dev/full here.");
        const QString path = writeBundle(m_scratch, "full.mlmodelc", sparseBundle(halves({1, -2})));
        const CliResult result =
            RAN(4, runCliInto(u"/dev/full"_s, {u"inspect"_s, path, u"--json"_s}));
    }

    void findings()
    {
        MadeBundle made;
        Bytes values = halves({1, 2, 3, 4, 5, 6, 7, 8});
        const Bytes constant = halves({3, 3, 3, 3, 3, 3, 3, 3});
        values.insert(values.end(), constant.begin(), constant.end());
        made.layer("w", "[2, 8]", values);
        made.blob(ElementType::Fp16, "[2]", halves({1, 2})); // a record that nothing names
        const QString path = writeBundle(m_scratch, "findings.mlmodelc", made);
        const auto found = RAN(0, runCli("inspect % --json --findings", path)).json()["findings"];
        QCOMPARE(found.size(), std::size_t(2));
        HOLDS(found, "0.kind=unused_records 0.file=weights/weight.bin 1.kind=constant_channels "
                     "1.weight=w 1.count=1 1.of=2");
        // What is found in weights that are not listed is left out, what is no weight's is not.
        HOLDS(runCli("inspect % --json --findings --where %", path, u"form:sparse"_s).json(),
              "findings#=1 findings.0.kind=unused_records");
        const CliResult text = runCli("inspect % --findings", path);
        SAYS(text.out, "Worth a look", "1 of 2 output channels hold a single value");
        const QString report = m_scratch.filePath(u"findings.html"_s);
        QCOMPARE(runCli("inspect % -o %", path, report).exitCode, 0);
        QVERIFY(contentOf(report).contains("output channels hold a single value"));
    }

private:
    QTemporaryDir m_scratch;
};

KERNSCOPE_TEST(TestCliInspect, QCoreApplication)
#include "tst_cli_inspect.moc"
