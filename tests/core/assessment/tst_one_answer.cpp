// SPDX-License-Identifier: GPL-3.0-or-later
// Every bundle of the data folder on every chip: whoever is asked, the answer is the same.
#include "core/assessment/choose_form.h"
#include "core/report/chip_json.h"
#include "tests/data/data_folder.h"

#include <QDirIterator>
#include <QtTest/QtTest>

#include <algorithm>

#include <nlohmann/json.hpp>

using namespace kernscope;

namespace {

QStringList bundlePaths()
{
    QStringList paths;
    QDirIterator folders(test::dataPath({}), QDir::Dirs | QDir::NoDotAndDotDot,
                         QDirIterator::Subdirectories);
    while (folders.hasNext()) {
        const QString path = folders.next();
        if (path.endsWith(QStringLiteral(".mlmodelc")) ||
            path.endsWith(QStringLiteral(".mlpackage")))
            paths << path;
    }
    paths.sort();
    return paths;
}

} // namespace

class TestOneAnswer : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyChip_data()
    {
        QTest::addColumn<QString>("path");
        const QStringList paths = bundlePaths();
        for (const QString &path : paths)
            QTest::newRow(qPrintable(path.section(QLatin1Char('/'), -2))) << path;
        if (paths.isEmpty())
            QTest::newRow("no bundles") << QString();
    }
    void everyChip()
    {
        QFETCH(QString, path);
        if (path.isEmpty())
            QSKIP("KERNSCOPE_DATA has no bundles");
        const auto bundle = Bundle::open(path.toStdString());
        QVERIFY(bundle);
        const auto targets = allTargets();
        const DecisionTable table(weightLayers(**bundle), targets);
        report::Json decided;
        std::string text;
        report::writeDecisions(**bundle, table, report::document("decide"), {},
                               [&](std::string_view part) { text += part; });
        decided = report::Json::parse(text)["decisions"];
        QCOMPARE(decided.size(), table.rows() * table.columns());
        const auto layers = layersOf(**bundle, weightForms(**bundle));
        for (std::size_t column = 0; column < targets.size(); ++column)
            compare(table, column, layers, decided);
    }

private:
    static void compare(const DecisionTable &table, std::size_t column,
                        const std::vector<roofline::Layer> &layers, const report::Json &decided)
    {
        const target::Target &target = table.target(column);
        decision::Judge judge;
        const auto roofs = roofline::roofsOf(target);
        const auto network = roofline::assessNetwork(layers, *roofs, judge);
        QVERIFY(network);
        report::Json document;
        report::addRoofline(document, *roofs, network->placements, 1, network->program);
        std::vector<bool> seen(table.rows(), false);
        for (std::size_t i = 0; i < layers.size(); ++i) {
            const roofline::Placement &placed = network->placements[i];
            const report::Json &drawn = document["layers"][i];
            const report::Json &row = decided[layers[i].weight * table.columns() + column];
            const auto &stored = drawn["forms"]["stored"];
            QCOMPARE(row["outcome"], stored["outcome"]);
            if (!row["bytes_moved"].is_null())
                QCOMPARE(row["bytes_moved"], stored["weight_bytes"]);
            // The layer that the weight is judged in is one of those that are drawn.
            const bool same = row["time_s"] == stored["time_s"] &&
                              row["bound"] == stored["bound"] &&
                              row["speedup"] == stored["speedup"] &&
                              row["predicted_speedup"] == stored["predicted_speedup"];
            seen[layers[i].weight] = seen[layers[i].weight] || same;
            // What Choose and Geometry are given.
            const auto again = roofline::assess(layers[i], layers[i].form, *roofs, judge);
            QCOMPARE(report::assessmentJson(again), stored);
            for (const auto &other : placed.trail) {
                const auto answer = roofline::assess(layers[i], other.weight, *roofs, judge);
                QCOMPARE(answer.outcome, other.outcome);
                QCOMPARE(answer.timeS, other.timeS);
                QCOMPARE(answer.bound, other.bound);
            }
        }
        for (std::size_t i = 0; i < layers.size(); ++i)
            refusals(network->placements[i], target);
        double sum = 0;
        for (const roofline::Placement &placed : network->placements)
            sum += placed.stored().timeS.value_or(0);
        QCOMPARE(network->program.knownS, sum);
        for (const roofline::Layer &layer : layers)
            QVERIFY(seen[layer.weight]);
    }

    /// What encode, section build and plan are refused is what decide, choose and the matrix call
    /// illegal, by the same rule, for every form that is tried.
    static void refusals(const roofline::Placement &placed, const target::Target &target)
    {
        for (const roofline::Assessment &point : placed.trail) {
            const auto rule = decision::encoderRefusal(point.weight, target);
            QCOMPARE(rule ? rule->gate : std::string(), point.decision.verdict->refusedBy);
        }
    }

private Q_SLOTS:
    void choiceAndRoofline_data() { everyChip_data(); }
    /// The forms that Choose tries are those that the roofline places, with the same times.
    void choiceAndRoofline()
    {
        QFETCH(QString, path);
        if (path.isEmpty())
            QSKIP("KERNSCOPE_DATA has no bundles");
        const auto bundle = Bundle::open(path.toStdString());
        QVERIFY(bundle);
        const auto layers = layersOf(**bundle, weightForms(**bundle));
        // Each candidate is encoded: the smallest weight of each bundle.
        const auto smallest = std::min_element(
            layers.begin(), layers.end(), [](const roofline::Layer &a, const roofline::Layer &b) {
                return a.form.elements < b.form.elements;
            });
        QVERIFY(smallest != layers.end());
        for (const char *chip : {"M1", "M2", "M5"}) {
            const auto roofs = roofline::roofsOf(*target::findTarget(chip)->target);
            decision::Judge judge;
            const auto choice = chooseForm(**bundle, smallest->weight, *roofs, judge);
            QVERIFY2(choice, choice ? "" : choice.error().message.c_str());
            const auto placed = roofline::place(*smallest, *roofs, judge);
            bool stored = choice->stored.starts_with("dense"), eight = false;
            for (const FormCandidate &candidate : choice->candidates) {
                stored |= candidate.stored;
                eight |= candidate.form == "palette8";
                for (const auto &point : placed->trail) {
                    if (point.form != candidate.form || point.weight.density)
                        continue;
                    QCOMPARE(candidate.assessment.outcome, point.outcome);
                    QCOMPARE(candidate.assessment.timeS, point.timeS);
                }
            }
            QVERIFY(stored && eight);
        }
    }
};

QTEST_GUILESS_MAIN(TestOneAnswer)
#include "tst_one_answer.moc"
