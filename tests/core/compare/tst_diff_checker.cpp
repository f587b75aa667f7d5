// SPDX-License-Identifier: GPL-3.0-or-later
#include "diff_sample.h"
#include "plain_figures.h"
#include "tests/data/data_folder.h"

namespace {

QByteArray check(const Bundle &a, std::size_t weightA, const Bundle &b, std::size_t weightB)
{
    return QByteArray::fromStdString(disagreement(a, weightA, b, weightB));
}

/// One dense weight of that type over raw bytes.
BundlePtr rawBundle(ElementType type, const Bytes &bytes)
{
    MadeBundle made = typedBundle(type, bytes);
    made.consume("w");
    return made.open().value_or(nullptr);
}

constexpr std::array kTypes{ElementType::Fp16,   ElementType::Fp32,  ElementType::Bf16,
                            ElementType::Int8,   ElementType::Uint8, ElementType::Int16,
                            ElementType::Uint16, ElementType::Int32, ElementType::Uint32};

} // namespace

/// Every figure of a comparison against plain double arithmetic from the definitions.
class TestDiffChecker : public QObject
{
    Q_OBJECT

private slots:
    /// fp32 weights that differ below the last place of fp16 differ, by one step of fp32.
    void precisionIsKept()
    {
        std::vector<float> a(4096), b(4096);
        for (std::size_t i = 0; i < a.size(); ++i) {
            a[i] = 1.0F + float(i % 1024) / 1024.0F;
            b[i] = std::nextafter(a[i], 1e9F);
        }
        const BundlePtr from = rawBundle(ElementType::Fp32, bytesOf(a));
        const BundlePtr to = rawBundle(ElementType::Fp32, bytesOf(b));
        const auto found = *compareValues(*from, *to, {0, 0}, 0);
        QCOMPARE(found.changed, 4096U);
        QCOMPARE(found.maxUlp, 1U);
        QCOMPARE(found.ulpHistogram.size(), 33U);
        QVERIFY(found.maxAbs > 0 && found.faithful());
    }

    void randomTypes_data()
    {
        addColumns<int, int>();
        for (const ElementType a : kTypes) {
            for (const ElementType b : kTypes)
                QTest::addRow("%s %s", std::string(elementTypeName(a)).c_str(),
                              std::string(elementTypeName(b)).c_str())
                    << int(a) << int(b);
        }
    }

    /// Random bits of each type against each: NaN payloads, infinities, subnormals, both zeros.
    void randomTypes()
    {
        const auto [a, b] = fetched<int, int>();
        const auto typeA = static_cast<ElementType>(a), typeB = static_cast<ElementType>(b);
        std::mt19937 random(unsigned(100 * a + b));
        for (const std::size_t count : {1u, 17u, 9000u}) {
            Bytes bytesA(count * bitWidth(typeA) / 8), bytesB(count * bitWidth(typeB) / 8);
            for (std::byte &byte : bytesA)
                byte = random() % 5 == 0 ? std::byte{0} : static_cast<std::byte>(random());
            for (std::byte &byte : bytesB)
                byte = random() % 5 == 0 ? std::byte{0} : static_cast<std::byte>(random());
            if (typeA == typeB) {
                for (std::size_t i = 0; i < bytesA.size(); ++i)
                    bytesB[i] = random() % 3 == 0 ? bytesB[i] : bytesA[i];
            }
            const BundlePtr from = rawBundle(typeA, bytesA), to = rawBundle(typeB, bytesB);
            QVERIFY(from && to && from->weights().size() == 1 && !from->weights()[0].fault);
            const QByteArray wrong = check(*from, 0, *to, 0);
            QVERIFY2(wrong.isEmpty(), wrong.constData());
        }
    }

    /// Every form that a weight can be stored in against every other.
    void everyForm()
    {
        std::vector<BundlePtr> bundles;
        for (const SampleForm &form : sampleForms())
            bundles.push_back(*sampleBundle(form.name).open());
        for (const BundlePtr &a : bundles) {
            for (const BundlePtr &b : bundles) {
                const QByteArray wrong = check(*a, 0, *b, 0);
                QVERIFY2(wrong.isEmpty(), wrong.constData());
            }
        }
    }

    /// Pairs of weights that pairing finds among the bundles of each folder of real and made files:
    /// of each two forms and each size one.
    void everyPairOfData()
    {
        KERNSCOPE_NEEDS(dataFolder());
        std::set<std::tuple<std::string, std::string, std::uint64_t>> seen;
        for (const char *folder : {"bundles", "real/silero-vad", "real/hwx"}) {
            std::vector<BundlePtr> bundles;
            QDirIterator it(dataPath(QLatin1String(folder)),
                            {u"*.mlmodelc"_s, u"*.mlpackage"_s, u"*.hwx"_s},
                            QDir::Files | QDir::Dirs | QDir::NoDotAndDotDot);
            while (it.hasNext()) {
                if (const auto opened = Bundle::open(QFile::encodeName(it.next()).toStdString()))
                    bundles.push_back(*opened);
            }
            for (std::size_t i = 0; i < bundles.size(); ++i) {
                for (std::size_t k = i; k < bundles.size(); ++k) {
                    for (const ComparedPair &pair : pairWeights(*bundles[i], *bundles[k]).pairs) {
                        if (!pair.shapeEqual || bundles[i]->weights()[pair.a].fault ||
                            bundles[k]->weights()[pair.b].fault)
                            continue;
                        const Weight &a = bundles[i]->weights()[pair.a];
                        const Weight &b = bundles[k]->weights()[pair.b];
                        if (!seen.emplace(formText(a.form), formText(b.form), a.elements.value)
                                 .second)
                            continue;
                        const QByteArray wrong = check(*bundles[i], pair.a, *bundles[k], pair.b);
                        QVERIFY2(wrong.isEmpty(), wrong.constData());
                    }
                }
            }
        }
        QVERIFY(!seen.empty());
    }
};

KERNSCOPE_TEST(TestDiffChecker, QCoreApplication)
#include "tst_diff_checker.moc"
