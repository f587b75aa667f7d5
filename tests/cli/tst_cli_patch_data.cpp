// SPDX-License-Identifier: GPL-3.0-or-later
// The command line on copies of the bundles in the data folder: one element of every weight's form
// is patched, and the files change in the bytes that were reported and in no others.
#include "answers.h"
#include "cli_process.h"
#include "tests/test_program.h"

using namespace kernscope::test;

namespace {

using Tree = std::map<QString, QByteArray>;

Tree readTree(const QString &folder)
{
    Tree tree;
    for (const QString &path : pathsBelow(folder)) {
        if (QFileInfo(path).isFile())
            tree[QDir(folder).relativeFilePath(path)] = contentOf(path);
    }
    return tree;
}

void writeTree(const QString &folder, const Tree &tree)
{
    for (const auto &[path, content] : tree) {
        const QString place = folder + QLatin1Char('/') + path;
        QDir().mkpath(QFileInfo(place).path());
        QVERIFY(put(place, content));
    }
}

using Places = std::set<std::pair<QString, qint64>>;

Places differences(const Tree &a, const Tree &b)
{
    Places places;
    for (const auto &[path, content] : a) {
        const QByteArray other = b.count(path) > 0 ? b.at(path) : QByteArray();
        for (qint64 i = 0; i < std::max(content.size(), other.size()); ++i) {
            if (i >= content.size() || i >= other.size() || content[i] != other[i])
                places.emplace(path, i);
        }
    }
    return places;
}

Places reported(const nlohmann::ordered_json &json)
{
    Places places;
    for (const auto &range : json["ranges"]) {
        const auto file = QString::fromStdString(range["file"].get<std::string>());
        for (qint64 i = 0; i < range["bytes"].get<qint64>(); ++i)
            places.emplace(file, range["offset"].get<qint64>() + i);
    }
    return places;
}

} // namespace

class TestCliPatchData : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { KERNSCOPE_NEEDS(dataFolder()); }

    void prunedAgainstDense()
    {
        const QString folder = dataFolder() + u"/real/silero-vad/"_s;
        KERNSCOPE_NEEDS(folder);
        const CliResult result =
            runCli({u"diff"_s, folder + u"silero-vad-unified-v6.0.0.mlmodelc"_s,
                    folder + u"unified_pruned_int8.mlmodelc"_s, u"--values"_s, u"--json"_s});
        QCOMPARE(result.exitCode, 1);
        const auto json = result.json();
        for (const auto &weight : json["weights"]) {
            if (weight["name"].get<std::string>() != "encoder_layers_6_weight_to_fp16")
                continue;
            QCOMPARE(weight["a"]["form"].get<std::string>(), "dense-fp16");
            QCOMPARE(weight["b"]["form"].get<std::string>(), "sparse");
            QCOMPARE(weight["values"]["equal"].get<int>(), 10246);
            QCOMPARE(weight["values"]["zeroed"].get<int>(), 24576 - 10246);
            QCOMPARE(weight["values"]["changed"].get<int>(), 0);
            QCOMPARE(weight["verdict"].get<std::string>(), "kept values exact");
            return;
        }
        QFAIL("the weight was not paired");
    }

    void everyForm_data() { addPaths({u"*.mlmodelc"_s, u"*.mlpackage"_s}); }

    void everyForm()
    {
        KERNSCOPE_SKIP_WITHOUT_ROWS();
        QFETCH(const QString, path);
        const QTemporaryDir scratch;
        const QString copy = scratch.filePath(QDir(path).dirName());
        const Tree original = readTree(path);
        writeTree(copy, original);
        const auto inspected = runCli({u"inspect"_s, copy, u"--json"_s}).json();
        std::set<std::string> forms;
        for (const auto &weight : inspected["weights"]) {
            const auto form = weight["form"].get<std::string>();
            if (!forms.insert(form).second)
                continue;
            const auto name = weight["name"].get<std::string>();
            // The first stored code of the first part that holds them, and, of a mask, an element.
            const bool sparse = form.starts_with("sparse");
            std::string role;
            for (const auto &part : weight["parts"]) {
                const auto found = part["role"].get<std::string>();
                if (role.empty() && found != "mask")
                    role = found;
            }
            const auto edit = QString::fromStdString(name + ":" + role + "[3]=1");
            const CliResult result =
                runCli({u"patch"_s, copy, u"--set-stored"_s, edit, u"--in-place"_s, u"--json"_s});
            QVERIFY2(result.exitCode == 0, result.out.constData());
            const auto json = result.json();
            QVERIFY(json["verified"].get<bool>());
            QCOMPARE(differences(original, readTree(copy)), reported(json));
            if (sparse) {
                const Tree before = readTree(copy);
                const auto drop =
                    runCli({u"patch"_s, copy, u"--drop"_s, QString::fromStdString(name + "[4]"),
                            u"--drop"_s, QString::fromStdString(name + "[5]"), u"--in-place"_s,
                            u"--json"_s});
                QVERIFY2(drop.exitCode == 0, drop.out.constData());
                QCOMPARE(differences(before, readTree(copy)), reported(drop.json()));
            }
            const CliResult after = runCli({u"inspect"_s, copy, u"--json"_s});
            QVERIFY2(after.exitCode == 0, after.out.constData());
            writeTree(copy, original);
        }
        QVERIFY(!forms.empty());
    }
};

KERNSCOPE_TEST(TestCliPatchData, QCoreApplication)
#include "tst_cli_patch_data.moc"
