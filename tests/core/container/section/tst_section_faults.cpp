// SPDX-License-Identifier: GPL-3.0-or-later
// Weight sections that are damaged, and what a section has no place for.
#include "core/base/little_endian.h"
#include "made_section.h"
#include "tests/core/bundle/promises.h"
#include "tests/test_program.h"

using namespace kernscope;
using namespace kernscope::section;
using namespace kernscope::section::made_sections;

class TestSectionFaults : public QObject
{
    Q_OBJECT

private slots:
    void refusesDamage_data()
    {
        test::addColumns<qulonglong, qulonglong, QString>();
        test::addRow("magic", 0ULL, 0x20202020ULL, "section.magic");
        test::addRow("version", 4ULL, 2ULL, "section.header");
        test::addRow("2^32 units", 12ULL, 0xFFFFFFFFULL, "section.header");
        test::addRow("no unit", 12ULL, 0ULL, "section.header");
        test::addRow("unit table", 0x20ULL, 0xFFFFFFC0ULL, "section.header");
        test::addRow("pool", 0x34ULL, 0xFFFFFFFFULL, "section.header");
        test::addRow("file size", 0x38ULL, 1ULL, "section.header");
        test::addRow("kernel format", 0x44ULL, 99ULL, "section.unit");
        test::addRow("payload", 0x48ULL, 0xFFFFFFC0ULL, "section.unit");
        test::addRow("payload bytes", 0x54ULL, 0xFFFFFFFFULL, "section.unit");
        test::addRow("core", 0x58ULL, 77ULL, "section.unit");
        test::addRow("outputs", 0x60ULL, 0xFFFFFFFFULL, "section.unit");
        test::addRow("vector size", 0x7cULL, 3ULL, "section.palette");
        test::addRow("name", 0x84ULL, 0xFFFFFFFFULL, "section.unit");
        test::addRow("reserved", 0x88ULL, 1ULL, "section.reserved");
        test::addRow("records", 0x40ULL + 0x80 + 2 * 32 + 8, 5ULL, "section.record");
        test::addRow("elements", 0x40ULL + 0x80 + 5 * 32 + 8, 5ULL, "section.record");
        test::addRow("entry offset", 0x40ULL + 0x80 + 5 * 32 + 16, 0ULL, "section.entry");
        test::addRow("entry bytes", 0x40ULL + 0x80 + 5 * 32 + 28, 1ULL, "section.entry");
        test::addRow("other shape", 0x64ULL, 7ULL, "section.record");
    }

    void refusesDamage()
    {
        const auto [offset, value, code] = test::fetched<qulonglong, qulonglong, QString>();
        auto bytes = make(u"dense"_s, {41, 3, 1, 5}, 2, false)->bytes;
        QCOMPARE(firstCode(bytes), std::string());
        storeLittle<std::uint32_t>(bytes, offset, static_cast<std::uint32_t>(value));
        QCOMPARE(QString::fromStdString(firstCode(bytes)), code);
        openMade(bytes); // whatever it shows, it must not crash
    }

    void survivesFlippedBytes()
    {
        std::mt19937 random(11);
        int opened = 0, reported = 0;
        for (const char *form : {"dense", "sparse", "palette4", "affine", "books"}) {
            const auto made = make(QString::fromLatin1(form), {32, 4, 1, 3}, 2, true);
            for (int i = 0; i < 300; ++i) {
                auto bytes = made->bytes;
                for (int flips = 0; flips < 3; ++flips) {
                    const std::size_t at = random() % std::min<std::size_t>(bytes.size(), 6000);
                    bytes[at] = static_cast<std::byte>(random());
                }
                if (random() % 4 == 0)
                    bytes.resize(random() % bytes.size());
                const BundlePtr bundle = openMade(bytes);
                if (!bundle) // cut within the header
                    continue;
                ++opened;
                reported += bundle->diagnostics().empty() ? 0 : 1;
                const std::string broken = kernscope::test::brokenPromise(*bundle);
                QVERIFY2(broken.empty(), broken.c_str());
            }
        }
        // Most open with something to report: otherwise the above would hold for want of a case.
        QVERIFY2(opened > 1000 && reported > 1000,
                 qPrintable(u"%1 %2"_s.arg(opened).arg(reported)));
    }

    void refusesWhatHasNoPlace()
    {
        const Shape shape{16, 32, 1, 1};
        const auto values = someValues(512, 3, false);
        codec::AffineOptions asymmetric;
        asymmetric.symmetric = false;
        asymmetric.codeType = ElementType::Uint8;
        const auto encoded = *codec::encodeAffine(values, shape, asymmetric);
        codec::BlockwiseOptions narrow;
        narrow.block = 8;
        const auto blocks = *codec::encodeBlockwise(values, shape, narrow);
        for (const codec::EncodedWeight *weight : {&encoded, &blocks}) {
            const auto decoder = *codec::Decoder::make(weight->encoding());
            BuildWeight build;
            build.name = "w";
            build.decoder = &decoder;
            build.geometry = geometryOf(shape);
            QCOMPARE(buildSection({}, {build}).error().code, "section.form");
            build.form = FormNode::Dense;
            const auto bytes = VERIFIED(buildSection({}, {build}));
            QVERIFY(halvesOf(*openMade(*bytes)->decoder(0)) == halvesOf(decoder));
            BuildWeight wrong = build;
            wrong.geometry.outputs = 8;
            QCOMPARE(buildSection({}, {wrong}).error().code, "section.build");
            QCOMPARE(buildSection({}, {build, build}).error().code, "section.build");
        }
    }
};

KERNSCOPE_TEST(TestSectionFaults, kernscope::test::NoApplication)
#include "tst_section_faults.moc"
