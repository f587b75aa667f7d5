// SPDX-License-Identifier: GPL-3.0-or-later
// plan of the customer's networks.
// The command line on copies of the bundles in the data folder: one element of every weight's form
// is patched, and the files change in the bytes that were reported and in no others.
#include "answers.h"
#include "cli_process.h"

namespace {

using Tree = FileBytes;

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

/// The command line against the answers that come with the bundles.
class TestCliData : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { KERNSCOPE_NEEDS(dataFolder()); }

    void answers_data() { addAnswered(); }

    void answers()
    {
        KERNSCOPE_SKIP_WITHOUT_ROWS();
        QFETCH(QString, path);
        const Json wanted = readAnswer(path);
        const CliResult result = RAN(0, runCli("inspect % --json --stats --hash", path));
        QVERIFY(result.err.isEmpty());
        Json found = result.json();
        QVERIFY(!found.is_discarded());
        leaveOutLiterals(found);
        std::erase_if(found["files"].get_ref<Json::array_t &>(), [](const Json &file) {
            return file["kind"] != "data"; // the answers list weight files only
        });
        QCOMPARE(difference(wanted, found, "").c_str(), "");
    }

    /// Its LSTM layers have no known work: null, not 0, and bytes are least unless time is asked
    /// for.
    void networkWithoutTimes()
    {
        const QString path = dataPath(u"real/dtln/DTLN_AEC_128_Part1.mlpackage"_s);
        KERNSCOPE_NEEDS(path);
        const auto json = RAN(0, runCli("plan % --forms int8* --json", path)).json();
        QCOMPARE(text(json["minimise"]), QByteArray("\"stored\""));
        QVERIFY(json["totals"]["after"]["bytes"] < json["totals"]["before"]["bytes"]);
        std::size_t planned = 0;
        for (const auto &row : json["plan"]) {
            QVERIFY(row["time_s"].is_null());
            if (!row.contains("chips"))
                continue;
            ++planned;
            HOLDS(row, "time_before_s=null chips.0.time_s=null chips.0.before.time_s=null");
        }
        QVERIFY(planned > 0);
        for (const char *when : {"before", "after"})
            QVERIFY(json["totals"][when]["chips"][0]["engine_time_s"].is_null());
        for (const auto &point : json["pareto"])
            QVERIFY(text(point["front"]) == "\"stored\"" && point["time_s"].is_null());
        QVERIFY(text(json["notes"]).contains("no front of error against time"));
        const CliResult asked = RAN(3, runCli("plan % --minimise time --json", path));
        QVERIFY(asked.out.contains("plan.time"));
    }

    /// Its batch is left open: every layer has a time with the model's own default, and with
    /// --shape.
    void openExtents()
    {
        const QString path = dataPath(u"real/basic-pitch/nmp.mlpackage"_s);
        KERNSCOPE_NEEDS(path);
        const QString copy = m_scratch.filePath(u"planned.mlpackage"_s);
        const QStringList words = args("plan % --forms int8 --tolerance 0.02 --json", path);
        const CliResult open = RAN(0, runCli(words));
        const auto byDefault = open.json();
        QCOMPARE(text(byDefault["minimise"]), QByteArray("\"stored\"")); // it waits for its call
        QCOMPARE(text(byDefault["shapes"]["from"]), QByteArray("\"description\""));
        QVERIFY(text(byDefault["notes"]).contains("the model's own default"));
        const auto drawn = runCli("roofline % --json", path).json();
        QVERIFY(drawn["program"]["engine_time_s"].is_number());
        QCOMPARE(text(byDefault["totals"]["before"]["chips"][0]["engine_time_s"]),
                 text(drawn["program"]["engine_time_s"]));
        const auto json = RAN(0, runCli(words + args("--shape input=2,43844,1 -o %", copy))).json();
        QCOMPARE(text(json["minimise"]), QByteArray("\"stored\""));
        std::size_t planned = 0;
        for (const auto &row : json["plan"]) {
            planned += row.contains("chips") ? 1 : 0;
            QVERIFY(!row.contains("chips") || row["time_s"].is_number());
        }
        QVERIFY(planned > 5);
        QVERIFY(json["totals"]["after"]["chips"][0]["engine_time_s"].is_number());
        // Shapes are no part of what is written: its extents are open, and the model's own default
        // is taken (tst_cli_plan_open has a program without one).
        const auto written = runCli("inspect % --json", copy).json();
        HOLDS(written, "functions.0.inputs.0.shape=[1,43844,1] shapes.from=description");
        QCOMPARE(text(written["totals"]["stored_bytes"]), text(json["totals"]["after"]["bytes"]));
    }

    void prunedAgainstDense()
    {
        const QString folder = dataFolder() + u"/real/silero-vad/"_s;
        KERNSCOPE_NEEDS(folder);
        const auto json = RAN(1, runCli("diff % % --values --json",
                                        folder + u"silero-vad-unified-v6.0.0.mlmodelc"_s,
                                        folder + u"unified_pruned_int8.mlmodelc"_s))
                              .json();
        for (const auto &weight : json["weights"]) {
            if (weight["name"].get<std::string>() != "encoder_layers_6_weight_to_fp16")
                continue;
            HOLDS(weight, "a.form=dense-fp16 b.form=sparse values.equal=10246 "
                          "values.zeroed=14330 values.changed=0 verdict='kept values exact'");
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
        const Tree original = filesBelow(path);
        writeTree(copy, original);
        const auto inspected = runCli("inspect % --json", copy).json();
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
            const auto json =
                RAN(0, runCli("patch % --set-stored % --in-place --json", copy, edit)).json();
            QVERIFY(json["verified"].get<bool>());
            QCOMPARE(differences(original, filesBelow(copy)), reported(json));
            if (sparse) {
                const Tree before = filesBelow(copy);
                const CliResult drop = RAN(0, runCli("patch % --drop % --drop % --in-place --json",
                                                     copy, QString::fromStdString(name + "[4]"),
                                                     QString::fromStdString(name + "[5]")));
                QCOMPARE(differences(before, filesBelow(copy)), reported(drop.json()));
            }
            const CliResult after = RAN(0, runCli("inspect % --json", copy));
            writeTree(copy, original);
        }
        QVERIFY(!forms.empty());
    }

private:
    QTemporaryDir m_scratch;
};

KERNSCOPE_TEST(TestCliData, QCoreApplication)
#include "tst_cli_data.moc"
