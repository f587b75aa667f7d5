// SPDX-License-Identifier: GPL-3.0-or-later
#include "compared_bundles.h"
#include "core/numeric/half.h"
#include "written_archive.h"

namespace {

constexpr std::size_t kRows = 64, kColumns = 48;
using Values = std::vector<float>;

/// Values of a layer: of each seed others, no two rows alike.
Values layer(unsigned seed)
{
    Values values(kRows * kColumns);
    unsigned state = 2654435761U * (seed + 1);
    for (float &value : values) {
        state = 1664525U * state + 1013904223U;
        value = halfToFloat(floatToHalf((float(state >> 8) / float(1U << 24) - 0.5F) * 0.2F));
    }
    return values;
}

Values withRowsZeroed(Values values, std::size_t first, std::size_t end)
{
    std::fill(values.begin() + std::ptrdiff_t(first * kColumns),
              values.begin() + std::ptrdiff_t(end * kColumns), 0.0F);
    return values;
}

MadeBundle package(const Values &up, const Values &down)
{
    MadeBundle made;
    const auto add = [&](const char *name, const Values &values) {
        made.layer(name, "[64, 48]", halves(values));
    };
    add("up_weight_to_fp16", up);
    add("down_weight_to_fp16", down);
    return made;
}

} // namespace

/// `audit` and `inspect --coverage`: what they answer and how they end.
class TestCliAudit : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        WrittenArchive archive;
        archive.add("up.weight", {kRows, kColumns}, layer(1));
        archive.add("down.weight", {kRows, kColumns}, layer(2));
        m_checkpoint = m_scratch.filePath(u"checkpoint.npz"_s);
        archive.write(m_checkpoint);
        m_sound = writeBundle(m_scratch, "sound.mlmodelc", package(layer(1), layer(2)));
        m_broken = writeBundle(m_scratch, "broken.mlmodelc",
                               package(layer(1), withRowsZeroed(layer(2), 5, 9)));
    }

    void sound()
    {
        const auto json = RAN(0, audit(m_sound, {m_json})).json();
        HOLDS(json, "command=audit verdict=sound sound#=2 faulty#=0 unpaired#=0 rules#=0 !nearer");
        const CliResult text = audit(m_sound);
        QVERIFY2(text.out.contains("look at the runtime"), text.out.constData());
    }

    void atFault()
    {
        const auto faulty = RAN(1, audit(m_broken, {m_json})).json()["faulty"];
        QCOMPARE(faulty.size(), std::size_t(1));
        HOLDS(faulty, "0.checkpoint_name=down.weight 0.kind=rows-zeroed 0.rows=[5,9]");
        QVERIFY(audit(m_broken).out.contains("At fault"));
    }

    void rules()
    {
        // A weight to ignore is not held against anything.
        const QString ignored = rulesFile("[[weight]]\nmatch = \"down*\"\nignore = true\n");
        const CliResult left = RAN(0, audit(m_broken, {m_rules, ignored, m_json}));
        HOLDS(left.json(), "unpaired.0.weight=main/down_weight_to_fp16");
        // The limit is a rule: of all weights, of one.
        QCOMPARE(audit(m_sound, {m_rules, rulesFile("audit-limit = 2.5\n"), m_json})
                     .json()["limit"]
                     .get<double>(),
                 2.5);
        QCOMPARE(audit(m_sound, {m_rules, rulesFile("audit-limit = 0.5\n")}).exitCode, 3);
        for (const QString &limit : {u"0.5"_s, u"nan"_s, u"inf"_s})
            QCOMPARE(audit(m_sound, {u"--limit"_s, limit}).exitCode, 2);
        // The form that weights must have.
        const CliResult form =
            RAN(1, audit(m_sound,
                         {m_rules, rulesFile("[[weight]]\nmatch = \"up*\"\nform = \"palette4\"\n"),
                          m_json}));
        const auto broken = form.json()["rules"];
        QCOMPARE(broken.size(), std::size_t(1));
        HOLDS(broken, "0.limit=form 0.allowed=palette4 0.rule=up*");
        QVERIFY(
            audit(m_sound, {m_rules, rulesFile("[[weight]]\nmatch = \"*\"\nform = \"palette4\"\n")})
                .out.contains("palette4"));
        QCOMPARE(audit(m_sound, {m_rules, rulesFile("no-known-faults = true\n")}).exitCode, 0);
        QCOMPARE(audit(m_sound, {m_rules, rulesFile("allow-faults = [\"no-such\"]\n")}).exitCode,
                 3);
    }

    void nearer()
    {
        const QStringList sibling = args("--sibling %", m_broken);
        const CliResult result = audit(m_sound, sibling + QStringList{m_json});
        QCOMPARE(result.exitCode, 0); // the answer is about the package
        const auto json = result.json();
        QCOMPARE(json["nearer"].size(), std::size_t(2));
        for (const auto &row : json["nearer"]) {
            const bool down = row["checkpoint_name"] == "down.weight";
            QCOMPARE(row["nearer"].get<std::string>(), std::string(down ? "package" : "alike"));
            QCOMPARE(row["sibling_error"].get<double>() > row["error"].get<double>(), down);
        }
        QVERIFY(audit(m_sound, sibling).out.contains("in 1 of 2 weights"));
    }

    /// A report that exists is refused before anything is compared, and no input is written over.
    void output()
    {
        const QString report = m_scratch.filePath(u"audit.html"_s);
        const QStringList out = args("-o %", report);
        QCOMPARE(audit(m_broken, out).exitCode, 1);
        const QByteArray written = contentOf(report);
        QVERIFY(written.contains("rows-zeroed"));
        const CliResult again = RAN(4, audit(m_broken, out + QStringList{m_json}));
        QCOMPARE(again.json()["diagnostics"][0]["code"].get<std::string>(), "io.exists");
        QVERIFY(!again.json().contains("faulty")); // nothing was compared
        QCOMPARE(audit(m_broken, out + args("--force")).exitCode, 1);
        QVERIFY(audit(m_broken, {u"-o"_s, u"-"_s, u"--quiet"_s}).out.contains("rows-zeroed"));
        QCOMPARE(audit(m_broken, {u"-o"_s, m_scratch.filePath(u"a.txt"_s)}).exitCode, 2);
    }

    void notComparable()
    {
        const CliResult none = RAN(4, audit(m_scratch.filePath(u"none.mlmodelc"_s)));
        const QString other =
            writeBundle(m_scratch, "other.mlmodelc", tenValues({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
        const CliResult result = RAN(1, audit(other, {m_json}));
        QCOMPARE(result.json()["verdict"].get<std::string>(), "cannot be compared");
        // Of a file that is cut the rest is sound, and the package is not.
        const QString cut = writeBundle(m_scratch, "cut.mlmodelc", package(layer(1), layer(2)));
        QFile file(cut + u"/weights/weight.bin"_s);
        QVERIFY(file.resize(file.size() - 4096));
        const CliResult half = RAN(3, audit(cut, {m_json}));
        HOLDS(half.json(), "sound#=1 verdict='cannot be compared'");
        QVERIFY(QString::fromStdString(half.json()["sentence"]).startsWith(u"1 weight "_s));
    }

    void coverage()
    {
        const auto inspect = [&](const QStringList &more) {
            return runCli(args("inspect %", m_sound) + more);
        };
        const auto coverage = RAN(0, inspect({u"--coverage"_s, m_json})).json()["coverage"];
        QCOMPARE(coverage["bits"].get<double>(), 16.0);
        QCOMPARE(coverage["parameters"].get<std::size_t>(), 2 * kRows * kColumns);
        QCOMPARE(coverage["not_kept"].get<int>(), 0);
        const QStringList expected = args("--expect *=palette4");
        const CliResult not4 = RAN(1, inspect(expected + QStringList{m_json}));
        QCOMPARE(not4.json()["coverage"]["not_kept"].get<int>(), 2);
        QVERIFY(inspect(expected).out.contains("2 weights not in the form expected"));
        QCOMPARE(inspect(expected + args("--except *up* --except *down*")).exitCode, 0);
        QCOMPARE(inspect({u"--sibling"_s, m_broken}).exitCode, 0);
        // Weights are paired without the suffixes of converters; one is in this build alone.
        MadeBundle palettes;
        palettes.form("up_weight_to_fp16_palettized", "[64, 48]", "lut_to_dense",
                      {{"indices", palettes.blob(ElementType::Uint4, "[64, 48]", Bytes(1536))},
                       {"lut", palettes.blob(ElementType::Fp16, "[1, 1, 16, 1]", Bytes(32))}});
        writeBundle(m_scratch, "palettes.mlmodelc", palettes);
        SAYS(RAN(1, inspect({u"--sibling"_s, m_scratch.filePath(u"palettes.mlmodelc"_s)})).out,
             "1 weight not in the form expected",
             "1 weight without a partner in the sibling build");
        for (const QString &none : {u"palette4"_s, u"*="_s, u"*=palete4"_s, u"*=palette9"_s})
            QCOMPARE(inspect({u"--expect"_s, none}).exitCode, 2);
        // What no weight is judged by is no success, and is told under --quiet as well.
        const CliResult unused = RAN(1, inspect(args("--quiet --expect nothing*=palette4")));
        QVERIFY2(unused.err.contains("No weight matches nothing*"), unused.err.constData());
        QCOMPARE(inspect(args("--expect *up*=dense --expect *down*=int8 --where name:up")).exitCode,
                 0);
        const QString config =
            writeText(m_scratch, "c.json", R"({"global_config": {"mode": "kmeans", "nbits": 4}})");
        QCOMPARE(inspect({u"--config"_s, config}).exitCode, 1);
    }

    /// Of a comparison the new build must have the forms; alone, values do not matter.
    void coverageRule()
    {
        const auto with = [&](const QByteArray &text) {
            return diff(m_sound, m_broken, {m_rules, rulesFile(text), m_json});
        };
        QCOMPARE(with("[[weight]]\nmatch = \"*\"\nform = \"dense\"\n").exitCode, 0);
        const CliResult not4 = RAN(1, with("[[weight]]\nmatch = \"*\"\nform = \"palette4\"\n"));
        HOLDS(not4.json(), "verdict.faults#=2 verdict.faults.0.limit=form");
        QCOMPARE(with("max-abs = 0.01\n[[weight]]\nmatch = \"*\"\nform = \"dense\"\n").exitCode, 1);
        QCOMPARE(with("no-known-faults = true\n").exitCode, 0);
        const CliResult none = RAN(3, with("[[weight]]\nmatch = \"*\"\nform = \"nonsense\"\n"));
        QVERIFY2(none.out.contains("nonsense"), none.out.constData());
    }

    void findingsAsSarif()
    {
        const QString path = m_scratch.filePath(u"findings.sarif"_s);
        QCOMPARE(runCli("inspect % -o %", m_broken, path).exitCode, 0);
        const auto json = nlohmann::json::parse(contentOf(path).toStdString());
        const auto &results = json["runs"][0]["results"];
        QVERIFY(!results.empty());
        QCOMPARE(results[0]["ruleId"].get<std::string>(), "constant_channels");
        QVERIFY(results[0]["message"]["text"].get<std::string>().find("down_weight") !=
                std::string::npos);
        HOLDS(json, "runs.0.tool.driver.rules.0.id=constant_channels");
        const auto &place = results[0]["locations"][0]["physicalLocation"]["artifactLocation"];
        QVERIFY(QByteArray::fromPercentEncoding(place["uri"].get<std::string>().c_str())
                    .startsWith("file://" + m_broken.toUtf8()));
    }

private:
    CliResult audit(const QString &build, const QStringList &more = {}) const
    {
        return runCli(args("audit % --against %", build, m_checkpoint) + more);
    }
    QString rulesFile(const QByteArray &text) const
    {
        return writeText(m_scratch, "rules.toml", text);
    }

    QTemporaryDir m_scratch;
    QString m_sound, m_broken, m_checkpoint;
    const QString m_json = u"--json"_s, m_rules = u"--rules"_s;
};

KERNSCOPE_TEST(TestCliAudit, QCoreApplication)
#include "tst_cli_audit.moc"
