// SPDX-License-Identifier: GPL-3.0-or-later
// The slices of real containers: decoded, compared with what is known of them, encoded again.
#include "core/base/overlaid_file.h"
#include "core/container/hwx/kernels.h"
#include "lane_samples.h"
#include "tests/data/data_folder.h"

using namespace kernscope::lanes;

namespace {

struct RealSlices {
    std::shared_ptr<OverlaidFile> file;
    std::vector<std::span<const std::byte>> slices; ///< by lane
};

std::optional<RealSlices> open(const QString &name)
{
    const QString path = dataPath(u"real/hwx/"_s + name);
    if (!QFile::exists(path))
        return std::nullopt;
    RealSlices real;
    real.file = *OverlaidFile::open(path.toStdString(), name.toStdString());
    const auto container = hwx::readContainer(real.file->bytes(), name.toStdString());
    for (const hwx::KernelTile &tile : hwx::kernelTiles(*container)) {
        if (tile.name.lane)
            real.slices.push_back(
                real.file->bytes().subspan(tile.fileOffset.value, tile.bytes.value));
    }
    return real;
}

} // namespace

class TestLanesReal : public QObject
{
    Q_OBJECT

private slots:
    void closesTheLoop_data()
    {
        addColumns<QString, qulonglong, qulonglong, qulonglong, bool, QList<int>>();
        addRow("weights 0 to 8", "conv-ff52f832dc.hwx", 3ULL, 3ULL, 1ULL, false,
               QList<int>{0, 1, 2, 3, 4, 5, 6, 7, 8});
        addRow("bias", "model.hwx.golden-f459291c15.hwx", 2ULL, 3ULL, 1ULL, true,
               QList<int>{0x4200, 0x4200, 0x4200, 0x4200, 0x4200, 0x4200});
        addRow("512 x 512", "gemm-aae2e35208.hwx", 512ULL, 512ULL, 32ULL, false,
               QList<int>{0, 0, 0});
    }

    void closesTheLoop()
    {
        const auto [file, outputs, inputs, cap, bias, first] =
            fetched<QString, qulonglong, qulonglong, qulonglong, bool, QList<int>>();
        const auto real = open(file);
        if (!real)
            QSKIP("The real containers are not here (KERNSCOPE_DATA)");
        WeightExtents geometry;
        geometry.outputs = outputs;
        geometry.inputs = inputs;
        geometry.bias = bias;
        DealOptions options;
        options.cap = cap;
        const auto layout = VERIFIED(SliceLayout::make(geometry, Law::Dense, options));
        QCOMPARE(layout->engines(), std::uint64_t(real->slices.size()));
        for (std::size_t lane = 0; lane < real->slices.size(); ++lane)
            QVERIFY(real->slices[lane].size() >= layout->usedBytes(lane));
        const Halves decoded = halvesOf(*layout, real->slices);
        for (qsizetype i = 0; i < first.size(); ++i)
            QCOMPARE(int(decoded.weights[std::size_t(i)]), first[i]);
        if (bias)
            QCOMPARE(decoded.bias, std::vector<std::uint16_t>(2, 0x3c00));
        const auto again = VERIFIED(encodeSlices(*layout, decoded.weights, decoded.bias));
        for (std::size_t lane = 0; lane < again->size(); ++lane) {
            // The last slice's symbol runs on into the padding of the section.
            const auto held = real->slices[lane].first((*again)[lane].size());
            QVERIFY(
                std::equal(held.begin(), held.end(), (*again)[lane].begin(), (*again)[lane].end()));
            QVERIFY(checkSliceSize(*layout, lane, FormNode::Dense, held.size())->holds);
        }
    }
};

KERNSCOPE_TEST(TestLanesReal, NoApplication)
#include "tst_lanes_real.moc"
