// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/quantized/folder.h"
#include "made_bundle.h"
#include "order_check.h"

namespace {

struct Layouts {
    const char *data;
    const char *exponents;
};

codec::Microscaled randomMatrix(codec::MxFormat format, codec::MxAxis axis, std::uint64_t rows,
                                std::uint64_t columns)
{
    std::mt19937 random(unsigned(rows * 131 + columns));
    const auto below = [&random](unsigned end) {
        return std::uint8_t(random() % end); // the same on every machine
    };
    codec::Microscaled matrix;
    matrix.format = format;
    matrix.axis = axis;
    matrix.rows = rows;
    matrix.columns = matrix.validColumns = columns;
    matrix.data.resize(rows * matrix.bytesPerRow());
    for (std::uint8_t &code : matrix.data)
        code = format == codec::MxFormat::Mxfp8 ? below(0x7f) : below(256); // 0x7f is a NaN
    matrix.exponents.resize(matrix.exponentRows() * matrix.exponentColumns());
    for (std::uint8_t &exponent : matrix.exponents)
        exponent = std::uint8_t(120 + below(16));
    return matrix;
}

OpenOptions filesOf(const codec::Microscaled &matrix, Layouts layouts)
{
    OpenOptions options;
    const bool eight = matrix.format == codec::MxFormat::Mxfp8;
    quantized::Folder folder = quantized::beginFolder({eight ? "mxfp8" : "mxfp4",
                                                       {matrix.rows, matrix.columns},
                                                       matrix.rows,
                                                       matrix.columns,
                                                       "fp16",
                                                       "w.npy",
                                                       ""});
    if (!quantized::addMicroscaled(folder, matrix, "ocp", layouts.data, layouts.exponents))
        return options;
    const std::string manifest = quantized::manifestText(folder.manifest);
    folder.files.emplace_back(quantized::kManifest,
                              quantized::Bytes(manifest.begin(), manifest.end()));
    for (const auto &[name, bytes] : folder.files) {
        const auto all = std::as_bytes(std::span(bytes));
        options.memory.emplace_back(name, Bytes(all.begin(), all.end()));
    }
    return options;
}

} // namespace

/// Folders whose matrix lies in boxes: the same weight as row by row.
class TestQuantizedBoxes : public QObject
{
    Q_OBJECT

private slots:
    void sameValues_data()
    {
        const auto row = addColumns<int, int, int, QByteArray, QByteArray>();
        row("data in boxes", 1, 16, 32, "nz", "nd");
        row("data in boxes, rows padded", 1, 21, 96, "nz", "nd");
        row("one row", 1, 1, 64, "nz", "zz");
        row("both in boxes", 1, 48, 128, "nz", "zz");
        row("both in boxes, rows padded", 1, 37, 192, "nz", "zz");
        row("exponents in boxes", 1, 16, 64, "nd", "zz");
        row("groups along the rows, in boxes", 0, 128, 48, "nz", "zz");
        row("groups along the rows, columns padded", 0, 64, 16, "nz", "zz");
        row("interleaved", 0, 128, 40, "nd", "interleaved");
        row("interleaved, an odd number of groups", 0, 96, 6, "nz", "interleaved");
        row("interleaved, one group", 0, 32, 2, "nd", "interleaved");
    }

    void sameValues()
    {
        const auto [axis, rows, columns, data, exponents] =
            fetched<int, int, int, QByteArray, QByteArray>();
        for (const codec::MxFormat format : {codec::MxFormat::Mxfp8, codec::MxFormat::Mxfp4}) {
            const auto matrix =
                randomMatrix(format, axis == 0 ? codec::MxAxis::Rows : codec::MxAxis::Columns,
                             std::uint64_t(rows), std::uint64_t(columns));
            const auto plain = Bundle::open("plain", filesOf(matrix, {"nd", "nd"}));
            const auto boxed =
                Bundle::open("boxed", filesOf(matrix, {data.constData(), exponents.constData()}));
            QVERIFY(plain);
            QVERIFY2(boxed, boxed ? "" : describe(boxed.error()).c_str());
            QCOMPARE(faults((*boxed)->diagnostics()), std::vector<std::string>());
            QCOMPARE(sectionFault(**boxed), std::string());
            QCOMPARE(orderFault(**boxed), std::string());
            const auto expected = decoded(**plain, "w");
            QCOMPARE(expected.size(), std::size_t(rows * columns));
            QVERIFY(decoded(**boxed, "w") == expected);
        }
    }

    void damaged_data()
    {
        const auto row = addColumns<QByteArray, QByteArray, QByteArray>();
        row("more rows than stored", "\"rows\": 16", "\"rows\": 33", "quantize.json");
        row("more stored rows than bytes", "\"rows_stored\": 16", "\"rows_stored\": 33",
            "data.bin");
        row("a huge number of rows", "\"rows_stored\": 16", "\"rows_stored\": 1125899906842624",
            "data.bin");
        row("no ZZ of one group", "\"columns_stored\": 64", "\"columns_stored\": 96",
            "quantize.json");
        row("interleaved along the columns", "\"zz\"", "\"interleaved\"", "quantize.json");
    }

    /// The weight stays, with a fault that names its file.
    void damaged()
    {
        const auto [from, to, file] = fetched<QByteArray, QByteArray, QByteArray>();
        OpenOptions files = filesOf(
            randomMatrix(codec::MxFormat::Mxfp8, codec::MxAxis::Columns, 16, 64), {"nz", "zz"});
        for (auto &[name, bytes] : files.memory) {
            if (name != quantized::kManifest)
                continue;
            QByteArray text(reinterpret_cast<const char *>(bytes.data()), qsizetype(bytes.size()));
            QVERIFY2(text.contains(from), text.constData());
            text.replace(from, to);
            if (from.contains("rows\"")) { // the shape holds with them
                const qsizetype at = text.indexOf("\"shape\"");
                text.remove(at, text.indexOf(']', at) + 2 - at);
            }
            const auto all = std::as_bytes(std::span(text.constData(), std::size_t(text.size())));
            bytes.assign(all.begin(), all.end());
        }
        const auto bundle = VERIFIED(Bundle::open("boxed", files));
        QVERIFY(!(*bundle)->diagnostics().empty());
        const Error &fault = (*bundle)->diagnostics().front().error;
        QCOMPARE(fault.code, "quantize.manifest");
        QCOMPARE(QByteArray::fromStdString(fault.file), file);
        QVERIFY(fault.offset.has_value());
        QVERIFY(!fault.expected.empty() && !fault.found.empty());
        QCOMPARE(sectionFault(**bundle), std::string());
    }
};

KERNSCOPE_TEST(TestQuantizedBoxes, QCoreApplication)
#include "tst_quantized_boxes.moc"
