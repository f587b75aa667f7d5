// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli_process.h"
#include "written_bundle.h"

#include <QTest>

using namespace kernscope;
using namespace kernscope::test;

namespace {

MadeBundle bundle(std::initializer_list<float> values)
{
    MadeBundle made;
    made.constant("tensor<fp16, [10]>", "w", made.blob(ElementType::Fp16, "[10]", halves(values)));
    made.consume("w");
    return made;
}

} // namespace

/// `diff`: two bundles side by side.
class TestCliDiff : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void identical();
    void different();
    void text();
    void tolerance();
    void damaged();
    void wrongUse();

private:
    CliResult diff(const QString &a, const QString &b, const QStringList &more = {})
    {
        return runCli(QStringList{QStringLiteral("diff"), a, b} + more);
    }

    QTemporaryDir m_scratch;
    QString m_a, m_b;
    const QString m_json = QStringLiteral("--json"), m_values = QStringLiteral("--values");
};

void TestCliDiff::initTestCase()
{
    m_a = writeBundle(m_scratch, "a.mlmodelc", bundle({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
    m_b = writeBundle(m_scratch, "b.mlmodelc", bundle({1, 2, 3, 0, 5, 6, 7, 8.5f, 9, 10}));
}

void TestCliDiff::identical()
{
    const CliResult same = diff(m_a, m_a, {m_json, m_values});
    QCOMPARE(same.exitCode, 0);
    QVERIFY(same.err.isEmpty());
    const auto json = same.json();
    QCOMPARE(json["schema"].get<int>(), 1);
    QCOMPARE(json["command"].get<std::string>(), std::string("diff"));
    QVERIFY(json["identical"].get<bool>() && json["program"]["equal"].get<bool>());
    QCOMPARE(json["weights"].size(), std::size_t{1});
    QCOMPARE(json["weights"][0]["values"]["equal"].get<int>(), 10);
    QVERIFY(json["only_a"].empty() && json["only_b"].empty() && json["diagnostics"].empty());
}

void TestCliDiff::different()
{
    const CliResult result = diff(m_a, m_b, {m_json, m_values});
    QCOMPARE(result.exitCode, 1);
    const auto json = result.json();
    QVERIFY(!json["identical"].get<bool>());
    const auto &weight = json["weights"][0];
    QCOMPARE(weight["name"].get<std::string>(), std::string("w"));
    QCOMPARE(weight["pairing"].get<std::string>(), std::string("consumer"));
    QCOMPARE(weight["a"]["form"].get<std::string>(), std::string("dense-fp16"));
    QVERIFY(weight["layout_equal"].get<bool>() && !weight["stored_equal"].get<bool>());
    QCOMPARE(weight["stored_ratio"].get<double>(), 1.0);
    const auto &values = weight["values"];
    QCOMPARE(values["equal"].get<int>(), 8);
    QCOMPARE(values["changed"].get<int>(), 1);
    QCOMPARE(values["zeroed"].get<int>(), 1);
    QCOMPARE(values["max_abs"].get<double>(), 4.0);
    QCOMPARE(values["max_ulp"].get<int>(), 0x4400);
    QCOMPARE(values["ulp_histogram"].size(), std::size_t{17});
    // The weight file: 4 becomes 0 in one byte, 8 becomes 8.5 in one.
    for (const auto &file : json["files"]) {
        const bool weights = file["path"].get<std::string>() == "weights/weight.bin";
        QCOMPARE(file["equal"].get<bool>(), !weights);
        if (weights)
            QCOMPARE(file["ranges"].dump(), std::string("[[135,1],[142,1]]"));
    }
    // Without --values nothing is decoded.
    QVERIFY(diff(m_a, m_b, {m_json}).json()["weights"][0]["values"].is_null());
}

void TestCliDiff::text()
{
    const CliResult result = diff(m_a, m_b, {m_values});
    QCOMPARE(result.exitCode, 1);
    QVERIFY(result.out.contains("8 equal, 1 changed, 1 zeroed"));
    QVERIFY(result.out.contains("2 values differ"));
    QVERIFY(result.out.contains("weights/weight.bin: 0x87+1 0x8e+1"));
    QVERIFY(!result.out.contains('\x1b'));
    const CliResult quiet = diff(m_a, m_b, {QStringLiteral("--quiet")});
    QCOMPARE(quiet.exitCode, 1);
    QVERIFY(quiet.out.isEmpty());
}

void TestCliDiff::tolerance()
{
    const CliResult result =
        diff(m_a, m_b, {m_json, m_values, QStringLiteral("--tolerance"), QStringLiteral("1")});
    QCOMPARE(result.exitCode, 1);
    QCOMPARE(result.json()["weights"][0]["values"]["beyond_tolerance"].get<int>(), 1);
}

/// What can be compared is; the faults are listed with the bundle that they are in.
void TestCliDiff::damaged()
{
    MadeBundle bad = bundle({1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
    bad.constant("tensor<fp16, [9]>", "lost", MadeBundle::blobAt("fp16", "[9]", 6400));
    bad.consume("lost");
    const QString path = writeBundle(m_scratch, "bad.mlmodelc", bad);
    const CliResult result = diff(m_a, path, {m_json, m_values});
    QCOMPARE(result.exitCode, 3);
    const auto json = result.json();
    QVERIFY(json["weights"][0]["values"]["equal"].get<int>() == 10);
    QVERIFY(!json["diagnostics"].empty());
    QVERIFY(json["diagnostics"][0]["file"].get<std::string>().starts_with("bad.mlmodelc/"));
    const CliResult missing = diff(m_a, m_scratch.filePath(QStringLiteral("none")), {m_json});
    QCOMPARE(missing.exitCode, 4);
    QCOMPARE(missing.json()["diagnostics"][0]["code"].get<std::string>(), std::string("io.open"));
}

void TestCliDiff::wrongUse()
{
    QCOMPARE(runCli({QStringLiteral("diff"), m_a}).exitCode, 2);
    QCOMPARE(diff(m_a, m_b, {QStringLiteral("--tolerance"), QStringLiteral("-1")}).exitCode, 2);
    QCOMPARE(diff(m_a, m_b, {QStringLiteral("--frobnicate")}).exitCode, 2);
}

QTEST_GUILESS_MAIN(TestCliDiff)
#include "tst_cli_diff.moc"
