// SPDX-License-Identifier: GPL-3.0-or-later
#include "answers.h"
#include "core/base/overlaid_file.h"
#include "core/codec/decode/decoder.h"
#include "made_bundle.h"

#include "core/bundle/build_facts.h"
#include "core/bundle/statistics.h"
#include "core/report/json.h"

/// Real and made bundles against the answers that come with them.
class TestBundleData : public QObject
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
        const auto bundle = VERIFIED(Bundle::open(path.toStdString()));
        const StatisticsOptions all{true, true};
        const AllStatistics statistics = computeAllStatistics(**bundle, all);
        Json found = report::inspectJson(**bundle, statistics.weights, all);
        Diagnostics diagnostics = (*bundle)->diagnostics();
        report::finish(found, diagnostics);
        leaveOutLiterals(found);
        // the answers list weight files only
        Json weightFiles = Json::array();
        for (const Json &row : found["files"]) {
            if (row["kind"] == "data")
                weightFiles.push_back(row);
        }
        found["files"] = weightFiles;
        QCOMPARE(difference(wanted, found, "").c_str(), "");
    }

    void everything_data() { addPaths({u"*.mlmodelc"_s, u"*.mlpackage"_s}); }

    /// Opens without a fault, covers every byte, decodes every weight, is the same when read again,
    /// and its weight file opens on its own.
    void everything()
    {
        KERNSCOPE_SKIP_WITHOUT_ROWS();
        QFETCH(QString, path);
        const auto bundle = VERIFIED(Bundle::open(path.toStdString()));
        QCOMPARE(faults((*bundle)->diagnostics()), std::vector<std::string>());
        QCOMPARE(faults(verifyPayloads(**bundle)), std::vector<std::string>());
        QCOMPARE(sectionFault(**bundle), std::string());
        QVERIFY(!(*bundle)->weights().empty());
        for (std::size_t i = 0; i < (*bundle)->weights().size(); ++i) {
            const auto decoder = VERIFIED((*bundle)->decoder(i));
            QCOMPARE(decoder->elements(), (*bundle)->weights()[i].elements);
        }
        const auto again = VERIFIED((*bundle)->reread());
        QCOMPARE(report::inspectJson(**again, {}, {}).dump(),
                 report::inspectJson(**bundle, {}, {}).dump());
        for (const BundleFile &file : (*bundle)->files()) {
            if (file.role != SectionKind::Data)
                continue;
            const auto bare = VERIFIED(Bundle::open(file.file->path()));
            QCOMPARE((*bare)->weights().size(), file.records);
            QCOMPARE(sectionFault(**bare), std::string());
        }
    }

    /// One network as .mlmodelc and as .mlpackage: the same weights, to the last bit.
    void twins()
    {
        int pairs = 0;
        for (const QString &package : pathsBelow(dataFolder(), {u"*.mlpackage"_s})) {
            const QString compiled = package.chopped(9) + u"mlmodelc"_s;
            if (!QDir(compiled).exists())
                continue;
            ++pairs;
            const auto a = Bundle::open(package.toStdString());
            const auto b = Bundle::open(compiled.toStdString());
            QVERIFY(a && b);
            const StatisticsOptions hash{false, true};
            const AllStatistics hashesA = computeAllStatistics(**a, hash);
            const AllStatistics hashesB = computeAllStatistics(**b, hash);
            QCOMPARE((*a)->weights().size(), (*b)->weights().size());
            for (std::size_t i = 0; i < (*a)->weights().size(); ++i) {
                const Weight &first = (*a)->weights()[i];
                const auto index = (*b)->weightByName(first.name);
                QVERIFY2(index, first.name.c_str());
                const Weight &second = (*b)->weights()[*index];
                QCOMPARE(formText(first.form), formText(second.form));
                QCOMPARE(first.shape, second.shape);
                QCOMPARE(first.storedBytes, second.storedBytes);
                QCOMPARE(hashesA.weights[i]->sha256, hashesB.weights[*index]->sha256);
                QCOMPARE(first.consumers.size(), second.consumers.size());
                for (std::size_t c = 0; c < first.consumers.size(); ++c)
                    QCOMPARE(first.consumers[c].flops, second.consumers[c].flops);
            }
        }
        if (pairs == 0)
            QSKIP("No network is there in both forms.");
    }

    /// Half of the weights of this network sit in loop bodies.
    void loopWeights()
    {
        const QString path = dataFolder() + u"/real/dtln/DTLN_AEC_128_Part1.mlpackage"_s;
        KERNSCOPE_NEEDS(path);
        const auto bundle = VERIFIED(Bundle::open(path.toStdString()));
        QCOMPARE((*bundle)->weights().size(), std::size_t(12));
        int inside = 0;
        for (const Weight &weight : (*bundle)->weights()) {
            QVERIFY(!weight.consumers.empty());
            inside += weight.consumers.front().geometry.insideLoop ? 1 : 0;
        }
        QCOMPARE(inside, 6);
    }

    /// A package says which tools made it, as the compiled model does.
    void packageTools()
    {
        const QString folder = dataFolder() + u"/real/silero-vad/unified_pruned_int8."_s;
        KERNSCOPE_NEEDS(folder + u"mlpackage"_s);
        std::vector<std::vector<BuildFact>> facts;
        for (const char *kind : {"mlpackage", "mlmodelc"}) {
            const auto bundle =
                VERIFIED(Bundle::open((folder + QLatin1String(kind)).toStdString()));
            facts.push_back(buildFacts(**bundle));
        }
        QCOMPARE(buildTools(facts[0]), std::vector<std::string>{"coremltools 9.0b1"});
        // The compiler adds its own, and keeps those of the package.
        for (const BuildFact &fact : facts[0])
            QVERIFY2(std::find(facts[1].begin(), facts[1].end(), fact) != facts[1].end(),
                     (fact.key + "=" + fact.value).c_str());
    }
};

KERNSCOPE_TEST(TestBundleData, kernscope::test::NoApplication)
#include "tst_bundle_data.moc"
