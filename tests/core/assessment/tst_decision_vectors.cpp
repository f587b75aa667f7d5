// SPDX-License-Identifier: GPL-3.0-or-later
// The golden tables of group sizes, passes and cores.
#include "core/assessment/collective.h"
#include "core/assessment/geometry.h"
#include "core/base/csv.h"
#include "tests/data/data_folder.h"

using namespace kernscope::decision;

namespace {

std::optional<CsvTable> table(const char *name)
{
    QFile file(dataPath(u"vectors/tables/"_s + QString::fromUtf8(name)));
    if (!file.open(QIODevice::ReadOnly))
        return std::nullopt;
    const QByteArray text = file.readAll();
    auto parsed = CsvTable::parse({text.constData(), size_t(text.size())}, name);
    return parsed ? std::optional(std::move(*parsed)) : std::nullopt;
}

std::uint64_t number(const CsvTable &csv, std::size_t row, std::string_view column)
{
    return std::uint64_t(parseInteger(csv.cell(row, column)).value_or(-1));
}

} // namespace

class TestDecisionVectors : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void groupsPassesAndCores()
    {
        const auto csv = table("ocg.csv");
        if (!csv)
            QSKIP("KERNSCOPE_DATA has no vectors/tables/ocg.csv");
        QVERIFY(csv->rows() > 0);
        for (std::size_t i = 0; i < csv->rows(); ++i) {
            const std::uint64_t kernel =
                number(*csv, i, "kw") * number(*csv, i, "kh") * number(*csv, i, "kd");
            const auto cap = unsigned(number(*csv, i, "byte_cap"));
            const auto per = unsigned(number(*csv, i, "acc_per_oc"));
            const std::uint64_t channels = number(*csv, i, "c_out");
            const std::uint64_t cores = number(*csv, i, "num_nes");
            for (const OcgReading reading : {OcgReading::Formula, OcgReading::Listing}) {
                const std::string suffix = "_" + std::string(ocgReadingName(reading));
                const auto group = outputChannelGroup(kernel, cap, per, reading);
                const auto passes = ocgPasses(channels, group);
                QCOMPARE(group, number(*csv, i, "ocg" + suffix));
                QCOMPARE(passes, number(*csv, i, "passes" + suffix));
                QCOMPARE(coresLit(passes, cores), number(*csv, i, "cores" + suffix));
            }
        }
    }

    void meshIndices()
    {
        const auto csv = table("mesh.csv");
        if (!csv)
            QSKIP("KERNSCOPE_DATA has no vectors/tables/mesh.csv");
        const auto numbers = [&](std::size_t row, const char *column, char separator) {
            const std::string cell(csv->cell(row, column));
            std::vector<std::uint64_t> list;
            for (const QByteArray &part : QByteArray::fromStdString(cell).split(separator))
                list.push_back(part.toULongLong());
            return list;
        };
        for (std::size_t i = 0; i < csv->rows(); ++i) {
            const Mesh mesh{numbers(i, "extents", 'x'), std::size_t(number(*csv, i, "die_axis")),
                            number(*csv, i, "anes_per_die")};
            const auto index = VERIFIED(aneIndex(mesh, numbers(i, "device_id", ' ')));
            QCOMPARE(*index, number(*csv, i, "ane_index"));
            QCOMPARE(*deviceOfIndex(mesh, *index), numbers(i, "inverse", ' '));
        }
    }

    void atomicOperations()
    {
        const auto csv = table("predicates.csv");
        if (!csv)
            QSKIP("KERNSCOPE_DATA has no vectors/tables/predicates.csv");
        for (std::size_t i = 0; i < csv->rows(); ++i) {
            const auto result = atomicOperation(std::uint32_t(number(*csv, i, "code")));
            const std::string_view expected = csv->cell(i, "atomic_of_reduction");
            QCOMPARE(result ? std::to_string(*result) : "assert", std::string(expected));
        }
    }
};

KERNSCOPE_TEST(TestDecisionVectors, QCoreApplication)
#include "tst_decision_vectors.moc"
