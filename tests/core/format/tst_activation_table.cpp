// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/csv.h"
#include "core/format/activation_table.h"
#include "core/format/legality.h"
#include "core/numeric/element_type.h"
#include "core/numeric/half.h"
#include "tests/data/data_folder.h"

using namespace kernscope::format;

namespace {

std::vector<std::byte> readBytes(const std::string &path)
{
    std::ifstream file(path, std::ios::binary);
    std::vector<std::byte> bytes;
    for (std::istreambuf_iterator<char> at(file), end; at != end; ++at)
        bytes.push_back(static_cast<std::byte>(*at));
    return bytes;
}

bool sameHalf(std::uint16_t found, std::uint16_t expected)
{
    const auto nan = [](std::uint16_t half) { return (half & 0x7fff) > 0x7c00; };
    return found == expected || (nan(found) && nan(expected));
}

double sigmoid(double x)
{
    return 1 / (1 + std::exp(-x));
}

} // namespace

class TestActivationTable : public QObject
{
    Q_OBJECT

private slots:
    void goldens_data()
    {
        QTest::addColumn<QString>("name");
        const QDir goldens(dataPath(u"vectors/activation"_s));
        addRow("none", QString());
        for (const QString &file : goldens.entryList({u"*.record.bin"_s}, QDir::Files)) {
            const QString name = file.left(file.indexOf(u'.'));
            addRow(qPrintable(name), name);
        }
    }

    void goldens()
    {
        QFETCH(QString, name);
        if (name.isEmpty())
            return;
        const std::string stem = dataPathBytes("vectors/activation/") + name.toStdString();
        const auto bytes = readBytes(stem + ".record.bin");
        const auto table = VERIFIED(ActivationTable::parse(bytes));
        QCOMPARE(table->layout(), ActivationLayout::Text);
        const auto written = table->write();
        QVERIFY(std::ranges::equal(written, bytes));
        std::ifstream file(stem + ".csv");
        std::string line;
        std::getline(file, line);
        int rows = 0;
        for (; std::getline(file, line); ++rows) {
            std::istringstream cells(line);
            std::vector<std::uint16_t> row;
            for (std::string cell; std::getline(cells, cell, ',');)
                row.push_back(std::uint16_t(std::stoul(cell, nullptr, 16)));
            QCOMPARE(row.size(), 5u);
            const auto at = [&](ActivationArithmetic arithmetic, ActivationTail tail) {
                return table->evaluate(row[0], arithmetic, tail);
            };
            QVERIFY2(sameHalf(at(ActivationArithmetic::Half, ActivationTail::Clamp), row[1]),
                     line.c_str());
            QVERIFY2(sameHalf(at(ActivationArithmetic::Half, ActivationTail::Linear), row[2]),
                     line.c_str());
            QVERIFY2(sameHalf(at(ActivationArithmetic::Exact, ActivationTail::Clamp), row[3]),
                     line.c_str());
            QVERIFY2(sameHalf(at(ActivationArithmetic::Exact, ActivationTail::Linear), row[4]),
                     line.c_str());
        }
        QVERIFY(rows > 0);
    }

    /// The table of a real H13 program: it is the sigmoid, over all of fp16.
    void realSigmoid()
    {
        const auto file = readBytes(dataPathBytes("real/hwx/sigmoid-451e944648.hwx"));
        if (file.size() < 0x4300)
            QSKIP("No real files: set KERNSCOPE_DATA to the folder that holds real/hwx/");
        const auto bytes = std::span(file).subspan(0x4280, 0x80);
        const auto table = VERIFIED(ActivationTable::parse(bytes));
        QCOMPARE(table->layout(), ActivationLayout::Device);
        const auto written = table->write();
        QVERIFY(std::equal(written.begin(), written.end(), bytes.begin()));
        QCOMPARE(table->domain().low, -8.0);
        QCOMPARE(table->domain().high, 8.0);
        QVERIFY(table->domain().assumed);
        for (std::uint32_t half = 0; half < 0x10000; ++half) {
            const float x = halfToFloat(std::uint16_t(half));
            if (std::isnan(x))
                continue;
            const double expected = sigmoid(double(x));
            for (const auto arithmetic :
                 {ActivationArithmetic::Half, ActivationArithmetic::Exact}) {
                const auto y = halfToFloat(
                    table->evaluate(std::uint16_t(half), arithmetic, ActivationTail::Clamp));
                QVERIFY2(std::abs(double(y) - expected) < 0.004,
                         qPrintable(QString::number(double(x))));
            }
        }
    }

    /// A writer that had the clamps in fp32 may store a scale that is one place off: the record
    /// still has the text's layout, and is evaluated with the scale that it holds.
    void scaleOfALastPlaceOff()
    {
        auto bytes =
            ActivationTable::sample([](double x) { return x * x; }, -3.5f, 5.25f, {0, 0, 0, 0})
                ->write();
        const auto sound = *ActivationTable::parse(bytes);
        const std::uint16_t input = floatToHalf(5.0f);
        for (const int step : {-1, 1}) {
            auto other = bytes;
            other[6] = static_cast<std::byte>(std::to_integer<int>(bytes[6]) + step);
            const auto table = VERIFIED(ActivationTable::parse(other));
            QCOMPARE(table->layout(), ActivationLayout::Text);
            const auto at = [&](const ActivationTable &of) {
                return halfToFloat(
                    of.evaluate(input, ActivationArithmetic::Exact, ActivationTail::Clamp));
            };
            QVERIFY(step < 0 ? at(*table) < at(sound) : at(*table) > at(sound));
        }
        bytes[6] = static_cast<std::byte>(std::to_integer<int>(bytes[6]) + 2);
        QCOMPARE(ActivationTable::parse(bytes)->layout(), ActivationLayout::Device);
    }

    void sampled()
    {
        const auto table =
            ActivationTable::sample([](double x) { return std::tanh(x); }, -4, 4, {0, -1, 0, 1});
        QVERIFY(table);
        QCOMPARE(table->layout(), ActivationLayout::Text);
        const auto again = VERIFIED(ActivationTable::parse(table->write()));
        QCOMPARE(again->entries(), table->entries());
        for (std::uint32_t half = 0; half < 0x10000; ++half) {
            const auto bits = std::uint16_t(half);
            const float x = halfToFloat(bits);
            const auto y = halfToFloat(
                table->evaluate(bits, ActivationArithmetic::Exact, ActivationTail::Clamp));
            if (std::isnan(x))
                QCOMPARE(y, table->knot(32)); // acts as +infinity
            else
                QVERIFY(std::abs(double(y) - std::tanh(double(x))) < 0.01);
            if (x > 4 && std::isfinite(x))
                QCOMPARE(halfToFloat(table->evaluate(bits, ActivationArithmetic::Half,
                                                     ActivationTail::Linear)),
                         1.0f);
        }
    }

    void faults()
    {
        const auto table = ActivationTable::sample(sigmoid, -8, 8, {0, 0, 0, 1});
        auto bytes = table->write();
        QCOMPARE(ActivationTable::parse(std::span(bytes).first(85)).error().code,
                 "activation.length");
        std::swap(bytes[1], bytes[3]); // the clamps' upper bytes: 8 and -8
        QCOMPARE(ActivationTable::parse(bytes).error().code, "activation.clamps");
        bytes[1] = std::byte{0x7e};
        QVERIFY(!ActivationTable::parse(bytes));
        QVERIFY(!ActivationTable::sample(sigmoid, 1, 1, {}));
    }

    void fieldsCoverTheRecord()
    {
        for (const auto layout : {ActivationLayout::Text, ActivationLayout::Device}) {
            std::set<std::size_t> covered;
            for (const ActivationField &field : activationFields()) {
                if (field.layout != layout)
                    continue;
                QVERIFY(!field.source.empty());
                for (std::size_t i = 0; i < field.count; ++i)
                    QVERIFY(covered.insert(field.index + i).second);
            }
            QCOMPARE(covered.size(), ActivationTable::kEntries);
        }
    }

    void predicatesOfTheGoldenTable()
    {
        QFile file(dataPath(u"vectors/tables/predicates.csv"_s));
        if (!file.open(QIODevice::ReadOnly))
            QSKIP("KERNSCOPE_DATA has no vectors/tables/predicates.csv");
        const QByteArray text = file.readAll();
        const auto csv =
            VERIFIED(CsvTable::parse({text.constData(), size_t(text.size())}, "predicates"));
        QVERIFY(csv->rows() > 0);
        for (std::size_t i = 0; i < csv->rows(); ++i) {
            const auto code = std::uint32_t(*parseInteger(csv->cell(i, "code")));
            QCOMPARE(isDmaConvertibleToFp16(TensorFormat(code)),
                     csv->cell(i, "dma_folds_to_fp16") == "1");
            QCOMPARE(nativeKernelFormats().has(code),
                     csv->cell(i, "kernel_format_admitted") == "1");
            QCOMPARE(isPaletteVector(code), csv->cell(i, "palette_vector_legal") == "1");
        }
    }
};

KERNSCOPE_TEST(TestActivationTable, QCoreApplication)
#include "tst_activation_table.moc"
