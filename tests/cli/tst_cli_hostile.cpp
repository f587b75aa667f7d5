// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli_process.h"
#include "tests/core/container/checkpoint/made_checkpoint.h"
#include "written_array.h"

#include <sys/resource.h>
#include <sys/stat.h>

namespace {

/// What is promised of the metadata of any file; the process may have ten times as much.
constexpr rlim_t kMostBytes = rlim_t{512} << 20, kMostSeconds = 5, kRoom = 10;

/// `of`: RLIMIT_AS, or RLIMIT_DATA, which does not count what is mapped from files.
CliResult runLimited(const QStringList &arguments, rlim_t bytes = kRoom * kMostBytes,
                     __rlimit_resource_t of = RLIMIT_AS, rlim_t seconds = kRoom * kMostSeconds)
{
    QProcess process;
    process.setChildProcessModifier([bytes, of, seconds] {
        const rlimit memory{bytes, bytes}, time{seconds, seconds};
        ::setrlimit(of, &memory);
        ::setrlimit(RLIMIT_CPU, &time);
    });
    process.start(cliProgram(), arguments);
    CliResult result;
    if (!process.waitForFinished(static_cast<int>(4000 * seconds))) {
        process.kill();
        process.waitForFinished();
    }
    result.crashed = process.exitStatus() != QProcess::NormalExit;
    result.exitCode = process.exitCode();
    result.out = process.readAllStandardOutput();
    result.err = process.readAllStandardError();
    return result;
}

/// An archive all of whose members are the same bytes of it.
QByteArray overlapping(int members)
{
    const QByteArray one = npy("<f4", "False", "(4194304,)", QByteArray(4 << 22, '\0'));
    const QByteArray single = zip({{"a.npy", one, true}});
    const qsizetype directory = single.indexOf(little(0x02014b50, 4));
    const QByteArray entry = single.mid(directory, 46 + 5);
    QByteArray out = single.first(directory);
    for (int i = 0; i < members; ++i)
        out += entry;
    const auto bytes = static_cast<quint64>(entry.size()) * static_cast<quint64>(members);
    return out + little(0x06054b50, 4) + little(0, 4) + little(static_cast<quint64>(members), 2) +
           little(static_cast<quint64>(members), 2) + little(bytes, 4) +
           little(static_cast<quint64>(directory), 4) + little(0, 2);
}

} // namespace

/// Files that ask for more memory or time than they have bytes, and files that lead elsewhere.
class TestCliHostile : public QObject
{
    Q_OBJECT

private slots:
    void archives();
    void wideHeaders();
    void manifests();
    void configurations_data();
    void configurations();
    void besideACheckpoint();
    void pipesAndDevices();
    void foreignInput();
    void largeInputs();
    void patchesOfLargeFiles();
    void withoutMemory();

private:
    QString write(const QString &name, const QByteArray &content) const
    {
        const QString path = m_scratch.filePath(name);
        return put(path, content) ? path : QString();
    }
    QTemporaryDir m_scratch;
};

/// Members that overlap are refused; others are unpacked when their values are asked for.
void TestCliHostile::archives()
{
    const QString shared = write(u"overlap.npz"_s, overlapping(400)); // 6.7 GB in all
    const CliResult refused = runLimited({u"inspect"_s, shared, u"--json"_s});
    QVERIFY(!refused.crashed);
    QCOMPARE(refused.exitCode, 3);
    QCOMPARE(refused.json()["diagnostics"][0]["code"].get<std::string>(), "zip.overlap");

    // In less memory than its values have.
    const QByteArray zeros = npy("<f4", "False", "(33554432,)", QByteArray(4 << 25, '\0'));
    const QString bomb =
        write(u"bomb.npz"_s,
              zip({{"a.npy", zeros, true}, {"b.npy", zeros, true}, {"c.npy", zeros, true}}));
    const CliResult listed =
        RAN(0, runLimited({u"inspect"_s, bomb, u"--json"_s}, rlim_t{384} << 20));
    QCOMPARE(listed.json()["weights"].size(), std::size_t{3});
    QVERIFY(listed.json()["weights"][0]["stored_bytes"].get<qint64>() < (1 << 20));
    const QString out = m_scratch.filePath(u"a.npy"_s);
    QCOMPARE(runLimited({u"decode"_s, bomb, u"a"_s, u"--as"_s, u"fp32"_s, u"-o"_s, out}).exitCode,
             0);
    QCOMPARE(QFileInfo(out).size(), qint64(zeros.size()));
    QFile::remove(out);

    // A package is unpacked up to 512 MiB.
    const QByteArray spaces(qsizetype{513} << 20, ' ');
    const QString package =
        write(u"package.zip"_s, zip({{"x.mlpackage/Manifest.json", spaces, true}}));
    QCOMPARE(RAN(3, runLimited({u"inspect"_s, package, u"--json"_s}, kMostBytes, RLIMIT_DATA))
                 .json()["diagnostics"][0]["code"]
                 .get<std::string>(),
             "zip.limit");
}

void TestCliHostile::wideHeaders()
{
    const auto wide = [this](const QString &name, int count, char value) {
        QByteArray json = "{";
        for (int i = 0; i < count; ++i)
            json += QByteArray(i == 0 ? "" : ",") + "\"layers.block.weight." +
                    QByteArray::number(i) + R"(":{"dtype":"F16","shape":[1],"data_offsets":[)" +
                    QByteArray::number(2 * i) + "," + QByteArray::number(2 * i + 2) + "]}";
        return write(name, safetensors(json + "}", QByteArray(2 * count, value)));
    };
    constexpr int kMost = 100'000; // of a checkpoint
    const QString path = wide(u"wide.safetensors"_s, kMost, 0);
    const QString other = wide(u"other.safetensors"_s, kMost, 1);
    const CliResult result = runLimited({u"inspect"_s, path, u"--json"_s}, kMostBytes, RLIMIT_DATA);
    QVERIFY2(!result.crashed && result.exitCode == 0, result.err.constData());
    QCOMPARE(result.out.count("\n   \"consumers\": "), kMost);
    QVERIFY(result.out.contains("\"weights\": 100000,") && result.out.endsWith("\n}\n"));
    // Comparing is no reading of metadata: the limit is one of memory.
    const QString report = m_scratch.filePath(u"report.json"_s);
    const CliResult reported = runLimited({u"diff"_s, path, other, u"-q"_s, u"-o"_s, report},
                                          kMostBytes, RLIMIT_DATA, 10 * kRoom * kMostSeconds);
    QVERIFY2(!reported.crashed && reported.exitCode == 1, reported.err.constData());
    const QByteArray text = contentOf(report);
    QCOMPARE(text.count("\n   \"pairing\": "), kMost);
    QVERIFY(text.endsWith("\n}\n"));
    constexpr int kSome = kMost / 8;
    const QString some = wide(u"some.safetensors"_s, kSome, 0);
    const QString others = wide(u"others.safetensors"_s, kSome, 1);
    const CliResult three =
        runLimited({u"diff"_s, some, others, others, u"--json"_s}, rlim_t{192} << 20, RLIMIT_DATA);
    QVERIFY2(!three.crashed && three.exitCode == 1, three.err.constData());
    QCOMPARE(three.out.count("\n     \"pairing\": "), 2 * kSome);
    const QString deep =
        write(u"deep.safetensors"_s, safetensors("{\"a\":" + QByteArray(4'000'000, '['), {}));
    QCOMPARE(runLimited({u"inspect"_s, deep}).exitCode, 3);
}

void TestCliHostile::manifests()
{
    QDir().mkpath(m_scratch.filePath(u"wide.mlpackage"_s));
    QByteArray json = R"({"rootModelIdentifier":"x","itemInfoEntries":{)";
    for (int i = 0; i < 40000; ++i)
        json += QByteArray(i == 0 ? "" : ",") + "\"" + QByteArray::number(i) + R"(":{"path":"a"})";
    write(u"wide.mlpackage/Manifest.json"_s, json + "}}");
    const CliResult result = runLimited({u"inspect"_s, m_scratch.filePath(u"wide.mlpackage"_s)});
    QVERIFY(!result.crashed);
    QCOMPARE(result.exitCode, 3);
}

/// Names of modules as expressions, and what stands behind aliases: told or refused, soon.
void TestCliHostile::configurations_data()
{
    const auto row = addColumns<QByteArray, QByteArray, int>();
    const auto named = [](const QByteArray &name) {
        return "module_name_configs:\n  \"" + name +
               "\":\n    op_state_spec: {weight: {dtype: int4}}\n";
    };
    const auto listed = [](const QByteArray &first, const QByteArray &each, int times) {
        QByteArray yaml = first + "op_name_configs:\n";
        for (int i = 0; i < times; ++i)
            yaml += "  n" + QByteArray::number(i) + ": " + each + "\n";
        return yaml;
    };
    const QByteArray name = QByteArray(60, 'a') + "c";
    row("nested", named(QByteArray(180, '(') + "a" + QByteArray(")*").repeated(180)),
        QByteArray(500, 'a'), 3);
    row("nested less", named(QByteArray(50, '(') + "a" + QByteArray(")*").repeated(50)),
        QByteArray(1000, 'a'), 1);
    row("twice the same", named("(a|a)*b"), name, 1);
    row("a star of stars", named("(a*)*b"), name, 1);
    QByteArray keys;
    for (int i = 0; i < 30000; ++i)
        keys += (i == 0 ? "k" : ", k") + QByteArray::number(i) + ": ~";
    row("aliases of keys",
        listed("global_config: {op_state_spec: &b {" + keys + "}}\n", "{op_state_spec: *b}", 12000),
        name, 3);
    row("aliases of blocks",
        listed("global_config: {dtype: int8, granularity: per_block, block_size: &a [" +
                   QByteArray("2,").repeated(60) + "2]}\n",
               "{dtype: int8, granularity: per_block, block_size: *a}", 15000),
        name, 3);
}

void TestCliHostile::configurations()
{
    const auto [yaml, name, exitCode] = fetched<QByteArray, QByteArray, int>();
    const QByteArray json =
        "{\"" + name + R"(":{"dtype":"F16","shape":[64,64],"data_offsets":[0,8192]}})";
    const QString path = write(u"c.safetensors"_s, safetensors(json, QByteArray(8192, '\0')));
    const QString config = write(u"c.yaml"_s, yaml);
    const CliResult result =
        runLimited(args("inspect % --json --coverage --config %", path, config), kMostBytes);
    QVERIFY2(!result.crashed, result.err.constData());
    QCOMPARE(result.exitCode, exitCode);
    if (exitCode == 3)
        QVERIFY(result.json()["diagnostics"][0]["field"].get<std::string>().starts_with("line "));
}

/// Texts of a hundred megabytes: not read, in less memory than they have bytes twice.
void TestCliHostile::besideACheckpoint()
{
    const QString folder = m_scratch.filePath(u"beside"_s);
    QDir().mkpath(folder);
    const QByteArray tensors =
        safetensors(R"({"l.weight":{"dtype":"F8_E4M3","shape":[2,2],"data_offsets":[0,4]},)"
                    R"("l.weight_scale":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
                    QByteArray(8, '\0'));
    const QString model = write(u"beside/model.safetensors"_s, tensors);
    const QByteArray text = "{\"a\":\"" + QByteArray(100 << 20, 'x') + "\"}";
    for (const QString &name : {u"config.json"_s, u"model.safetensors.index.json"_s}) {
        write(u"beside/"_s + name, text);
        const CliResult result =
            runLimited({u"inspect"_s, folder, u"--json"_s}, rlim_t{200} << 20, RLIMIT_DATA);
        QVERIFY2(result.exitCode == 0 || result.exitCode == 3, result.err.constData());
        QVERIFY(!result.json()["diagnostics"].empty());
        QVERIFY(QFile::remove(folder + u'/' + name));
    }
}

/// Neither waited for nor read without an end, wherever a file is read.
void TestCliHostile::pipesAndDevices()
{
    const QString pipe = m_scratch.filePath(u"pipe"_s);
    QCOMPARE(::mkfifo(QFile::encodeName(pipe).constData(), 0600), 0);
    MadeBundle made;
    made.layer("w", "[2]", halves({1, 2}));
    const QString bundle = writeBundle(m_scratch, "b.mlmodelc", made);
    for (const QString &path : {pipe, u"/dev/zero"_s}) {
        for (const QStringList &command :
             {args("inspect %", path),
              {u"patch"_s, bundle, u"--dry-run"_s, u"--script"_s, path},
              {u"patch"_s, bundle, u"--dry-run"_s, u"--apply"_s, path},
              {u"quantize"_s, path, u"--format"_s, u"mxfp8"_s, u"-o"_s,
               m_scratch.filePath(u"q"_s)}}) {
            const CliResult result = runLimited(command);
            QVERIFY2(!result.crashed, qPrintable(command.join(u' ')));
            QVERIFY2(result.exitCode >= 2, qPrintable(command.join(u' ')));
        }
    }
}

/// A description names what it was made of: that file is not opened unless it lies beside it.
void TestCliHostile::foreignInput()
{
    const QString array = writeArray(m_scratch, "in.npy", {32, 32});
    const QString folder = m_scratch.filePath(u"made"_s);
    QCOMPARE(runCli("quantize % --format mxfp8 -o %", array, folder).exitCode, 0);
    auto json =
        nlohmann::ordered_json::parse(contentOf(folder + u"/quantize.json"_s).toStdString());
    const QString secret = write(u"secret"_s, "root:x:0:0");
    json["input"] = secret.toStdString();
    json["input_sha256"] =
        QCryptographicHash::hash("root:x:0:0", QCryptographicHash::Sha256).toHex().toStdString();
    write(u"made/quantize.json"_s, QByteArray::fromStdString(json.dump()));
    const CliResult result = RAN(0, runCli("dequantize % --json", folder));
    QCOMPARE(result.json()["error_from"].get<std::string>(), "recorded");
    QVERIFY(!result.out.contains("root") && !result.err.contains("root"));
}

/// The header is looked at before anything is taken into memory.
void TestCliHostile::largeInputs()
{
    const QString path = write(u"large"_s, "no header");
    QVERIFY(QFile::resize(path, qint64{1} << 40));
    const QString folder = m_scratch.filePath(u"folder"_s);
    QDir().mkpath(folder);
    write(u"folder/quantize.json"_s, R"({"format":"int8","rows":2,"columns":2})");
    QVERIFY(QFile::link(path, folder + u"/data.bin"_s));
    QVERIFY(QFile::link(path, folder + u"/scale.bin"_s));
    const QString out = m_scratch.filePath(u"out"_s);
    for (const QStringList &command : {args("quantize % --format mxfp8 -o %", path, out),
                                       {u"dequantize"_s, folder, u"-o"_s, out + u".npy"_s},
                                       {u"patch"_s, path, u"-o"_s, out, u"--apply"_s, path},
                                       {u"patch"_s, path, u"-o"_s, out, u"--script"_s, path}}) {
        const CliResult result = runLimited(command + args("--json"), rlim_t{2} << 40);
        QVERIFY2(!result.crashed, qPrintable(command.join(u' ')));
        QVERIFY2(result.exitCode == 3 || result.exitCode == 4, qPrintable(command.join(u' ')));
        QVERIFY2(result.json().is_object(), result.out.constData());
        QVERIFY2(!result.out.contains("bad_alloc"), result.out.constData());
    }
    // The longest script is read; a byte more is refused before it is.
    const QString script = write(u"script"_s, "");
    for (const qint64 bytes : {qint64{1} << 28, (qint64{1} << 28) + 1}) {
        QVERIFY(QFile::resize(script, bytes));
        const CliResult result = runLimited(
            {u"patch"_s, m_scratch.filePath(u"folder"_s), u"-o"_s, out, u"--script"_s, script},
            rlim_t{2} << 30);
        QCOMPARE(result.err.contains("at most 268435456 bytes"), bytes > qint64{1} << 28);
    }
}

/// A binary patch is applied in less memory than the file has, by itself and in a bundle.
void TestCliHostile::patchesOfLargeFiles()
{
    constexpr qint64 kBytes = qint64{192} << 20;
    constexpr rlim_t kMemory = rlim_t{96} << 20;
    const QString patch = write(u"two.ips"_s, QByteArray("PATCH\0\0\2\0\2XYEOF", 15));
    const QString path = write(u"sparse.bin"_s, "0123456789");
    QVERIFY(QFile::resize(path, kBytes));
    const QString made = m_scratch.filePath(u"sparse-made.bin"_s);
    const CliResult lone =
        RAN(0, runLimited({u"patch"_s, path, u"--apply"_s, patch, u"-o"_s, made, u"--json"_s},
                          kMemory, RLIMIT_DATA));
    QVERIFY(lone.json()["verified"].get<bool>());
    QFile file(made);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.size(), kBytes);
    QCOMPARE(file.read(10), QByteArray("01XY456789"));
    QVERIFY(QFile::remove(made));

    MadeBundle bundle;
    bundle.weight("w", "[4]", halves({1, 2, 3, 4}));
    const QString folder = writeBundle(m_scratch, "large.mlmodelc", bundle);
    QVERIFY(QFile::rename(path, folder + u"/extra.bin"_s));
    write(u"large.mlmodelc/notes.txt"_s, "0123456789");
    const CliResult inside =
        RAN(0, runLimited({u"patch"_s, folder, u"--apply"_s, patch, u"--file"_s, u"notes.txt"_s,
                           u"-o"_s, m_scratch.filePath(u"made.mlmodelc"_s), u"--json"_s},
                          kMemory, RLIMIT_DATA));
    QCOMPARE(contentOf(m_scratch.filePath(u"made.mlmodelc/notes.txt"_s)), QByteArray("01XY456789"));
    QCOMPARE(QFileInfo(m_scratch.filePath(u"made.mlmodelc/extra.bin"_s)).size(), kBytes);
}

/// One document, whatever ends the command.
void TestCliHostile::withoutMemory()
{
    const QString array =
        write(u"big.npy"_s, npy("<f4", "False", "(4096, 4096)", QByteArray(4 << 24, '\x3f')));
    const CliResult result = runLimited({u"quantize"_s, array, u"--format"_s, u"mxfp8"_s, u"-o"_s,
                                         m_scratch.filePath(u"none"_s), u"--json"_s},
                                        rlim_t{256} << 20);
    QVERIFY(!result.crashed);
    QCOMPARE(result.exitCode, 4);
    QVERIFY(result.json()["diagnostics"][0]["code"].get<std::string>().starts_with("io."));
}

KERNSCOPE_TEST(TestCliHostile, QCoreApplication)
#include "tst_cli_hostile.moc"
