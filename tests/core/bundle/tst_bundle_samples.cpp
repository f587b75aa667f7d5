// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/decode/decoder.h"
#include "core/container/mil/program.h"
#include "made_bundle.h"

#include "core/bundle/statistics.h"
#include "core/patch/edit/find_weight.h"
#include "tests/data/data_folder.h"

/// The customer's samples: texts of compiler 3600.x, states, functions, pipelines, networks.
class TestBundleSamples : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        m_folder.setPath(dataFolder() + u"/../samples"_s);
        if (!m_folder.exists())
            QSKIP("No samples: ../samples beside the data folder is missing.");
    }

    void texts_data()
    {
        const auto row = addColumns<QString>();
        for (const QString &name : QDir(m_folder.filePath(u"mil-3600"_s)).entryList({u"*.mil"_s}))
            row(qPrintable(name), u"mil-3600/"_s + name);
        row("state", "models/text/state.mlmodelc");
        row("functions", "models/text/functions.mlmodelc");
    }

    /// Every statement is read: the only fault is the weight file, which the samples lack.
    void texts()
    {
        const auto [path] = fetched<QString>();
        const BundlePtr bundle = VERIFIED(open(path));
        for (const Diagnostic &diagnostic : bundle->diagnostics())
            QVERIFY2(diagnostic.error.code == "blob.file", describe(diagnostic.error).c_str());
        QCOMPARE(sectionFault(*bundle), std::string());
        const auto program = bundle->program();
        QVERIFY(!program->functions.empty());
        for (const mil::Function &function : program->functions)
            QVERIFY(!function.body.operations.empty());
    }

    void estimates()
    {
        const BundlePtr bundle = VERIFIED(open(u"mil-3600/iso__lstm.mil"_s));
        QCOMPARE(bundle->weights().size(), 4U);
        const mil::BackendNotes &notes = bundle->weights()[2].consumers[0].backends;
        QCOMPARE(notes.selected, "bnns");
        QCOMPARE(notes.supported, (std::vector<std::string>{"bnns", "classic_cpu"}));
        QCOMPARE(notes.estimatedMs.size(), 2U);
        QCOMPARE(notes.estimatedMs[0].second, 476.80945305249844);
        QCOMPARE(notes.messages[0].second, "Unsupported MIL operation \"lstm\".");
        const BundlePtr segments = VERIFIED(open(u"mil-3600/H16G__ctx.band_part.seg.mil"_s));
        for (const Weight &weight : segments->weights())
            QCOMPARE(weight.consumers[0].backends.selected, "ane");
    }

    void functions()
    {
        const BundlePtr bundle = VERIFIED(open(u"models/text/functions.mlmodelc"_s));
        QCOMPARE(bundle->weights().size(), 2U);
        QVERIFY(!bundle->weightByName("w"));
        QCOMPARE(bundle->weightByName("decode/w"), std::optional<std::size_t>(0));
        QCOMPARE(bundle->weightByName("prefill/w"), std::optional<std::size_t>(1));
        QCOMPARE(REFUSED(patch::findWeight(*bundle, "w")).expected, "decode/w, prefill/w");
        QVERIFY(bundle->weights()[0].operands()[0].place->shared);
        QCOMPARE(bundle->totals().storedBytes.value, 8192U);
    }

    void pipelines_data()
    {
        const auto row = addColumns<QString, QStringList>();
        row("nms", "models/pipeline-nms.mlpackage", {u"detector"_s});
        row("two", "models/pipeline-two.mlpackage", {u"first"_s, u"second"_s});
        row("network", "models/network-pipeline.mlmodel", {u"model0"_s});
    }

    void pipelines()
    {
        const auto [path, models] = fetched<QString, QStringList>();
        const BundlePtr bundle = VERIFIED(open(path));
        QVERIFY2(!hasErrors(bundle->diagnostics()), "the sample is sound");
        QCOMPARE(sectionFault(*bundle), std::string());
        QStringList found;
        for (std::size_t i = 0; i < bundle->weights().size(); ++i) {
            const Weight &weight = bundle->weights()[i];
            const QString model = QString::fromStdString(weight.model);
            if (!found.contains(model))
                found << model;
            QCOMPARE(bundle->weightByName(weight.address()), std::optional(i));
            QVERIFY2(bundle->decoder(i).has_value(), weight.name.c_str());
        }
        QCOMPARE(found, models);
        const auto &sections = bundle->sections();
        const auto named = std::ranges::count_if(sections, [&](const Section &section) {
            return bundle->nameOf(section).find("nonMaximumSuppression") != std::string::npos;
        });
        QCOMPARE(named, std::ptrdiff_t(path.contains(u"-two"_s) ? 0 : 1));
    }

    void network_data()
    {
        const auto row = addColumns<QString>();
        row("alone", "models/network.mlmodel");
        row("in a pipeline", "models/network-pipeline.mlmodel");
    }

    void network()
    {
        const auto [path] = fetched<QString>();
        const BundlePtr bundle = VERIFIED(open(path));
        const QJsonArray expected =
            QJsonDocument::fromJson(
                contentOf(m_folder.filePath(u"models/network.mlmodel.expected.json"_s)))
                .object()[u"weights"_s]
                .toArray();
        QVERIFY(!expected.isEmpty());
        const AllStatistics statistics = computeAllStatistics(*bundle, {true, true}, nullptr);
        QCOMPARE(qsizetype(bundle->weights().size()), expected.size());
        for (const QJsonValue &value : expected) {
            const QJsonObject wanted = value.toObject();
            const std::string name = wanted[u"name"_s].toString().toStdString();
            const auto index = bundle->weightByName(name);
            QVERIFY2(index, name.c_str());
            const Weight &weight = bundle->weights()[*index];
            QVERIFY2(formText(weight.form) == wanted[u"form"_s].toString().toStdString(),
                     name.c_str());
            QJsonArray shape;
            for (const std::uint64_t extent : weight.shape)
                shape.append(qint64(extent));
            QVERIFY2(shape == wanted[u"shape"_s].toArray(), name.c_str());
            QVERIFY2(statistics.weights[*index], name.c_str());
            QCOMPARE(QString::fromStdString(statistics.weights[*index]->sha256),
                     wanted[u"sha256"_s].toString());
        }
    }

private:
    BundlePtr open(const QString &name) const
    {
        const auto bundle = Bundle::open(m_folder.filePath(name).toStdString());
        if (!bundle) {
            qWarning("%s", describe(bundle.error()).c_str());
            return nullptr;
        }
        return *bundle;
    }

    QDir m_folder;
};

KERNSCOPE_TEST(TestBundleSamples, QCoreApplication)
#include "tst_bundle_samples.moc"
