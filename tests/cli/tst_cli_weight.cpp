// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli_process.h"

namespace {

using Json = nlohmann::ordered_json;

std::vector<double> column(const Json &rows, const char *key)
{
    std::vector<double> values;
    for (const Json &row : rows)
        values.push_back(row[key].get<double>());
    return values;
}

void addSparse(MadeBundle &made)
{
    const auto mask = made.blob(ElementType::Uint8, "[1]", hex("92"));
    const auto values = made.blob(ElementType::Fp16, "[3]", halves({1.5F, -2, 0.25F}));
    made.line("tensor<fp16, [2, 4]> s = constexpr_sparse_to_dense()[mask = " + mask +
              ", name = string(\"s\"), nonzero_data = " + values +
              ", shape = tensor<uint32, [2]>([2, 4])]");
    made.consume("s");
}

/// Two bits, four entries, of which the last is the second again and the third is never used.
void addPalette(MadeBundle &made)
{
    const auto indices = made.blob(ElementType::Uint8, "[2]", hex("04 D5"));
    const auto lut = made.blob(ElementType::Fp16, "[4]", halves({1, 2, 3, 2}));
    made.line("tensor<fp16, [2, 4]> p = constexpr_lut_to_dense()[indices = " + indices +
              ", lut = " + lut + ", name = string(\"p\"), shape = tensor<uint32, [2]>([2, 4])]");
    made.consume("p");
}

/// One scale for the weight, a zero point for each row: the operation allows it.
void addAffine(MadeBundle &made)
{
    const auto data = made.blob(ElementType::Int8, "[2, 2]", hex("01 02 03 04"));
    const auto zero = made.blob(ElementType::Int8, "[2]", hex("01 FE"));
    made.line("tensor<fp16, [2, 2]> a = constexpr_affine_dequantize()[axis = int32(0), "
              "name = string(\"a\"), quantized_data = " +
              data + ", scale = fp16(0x1p-1), zero_point = " + zero + "]");
    made.consume("a");
}

} // namespace

/// `weight`: one weight in full, as the inspector of the window has it.
class TestCliWeight : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        MadeBundle made;
        addSparse(made);
        addPalette(made);
        addAffine(made);
        m_path = writeBundle(m_scratch, "x.mlmodelc", made);
        QVERIFY(!m_path.isEmpty());
    }

    void palette()
    {
        const Json json = document("p");
        HOLDS(json, "command=weight weight.form=lut distinct=2 scales=null");
        const Json &books = json["codebooks"];
        HOLDS(books, "entries=4 index_bits=2 never_used=1 duplicates=1");
        // Codes, the first in the lowest bits: 0 1 0 0, 1 1 1 3.
        QCOMPARE(column(books["rows"], "uses"), (std::vector<double>{3, 4, 0, 1}));
        HOLDS(books, "rows.3.duplicate_of=1 rows.1.duplicate_of=null rows.2.values=[3.0]");
        QCOMPARE(column(json["histogram"]["bins"], "count"), (std::vector<double>{3, 0, 0, 5}));
        QCOMPARE(column(json["histogram"]["bins"], "high"),
                 (std::vector<double>{1.25, 1.5, 1.75, 2}));
    }

    void scales()
    {
        const Json json = document("a");
        QVERIFY(json["codebooks"].is_null());
        const Json &scales = json["scales"];
        HOLDS(scales, "scales=1 zero_points=2");
        QCOMPARE(column(scales["rows"], "scale"), (std::vector<double>{0.5, 0.5}));
        QCOMPARE(column(scales["rows"], "zero_point"), (std::vector<double>{1, -2}));
        QCOMPARE(json["kept"]["masked"].get<bool>(), false);
        QCOMPARE(column(json["kept"]["channels"], "kept"), (std::vector<double>{1, 2}));
    }

    void mask()
    {
        const Json kept = document("s")["kept"];
        HOLDS(kept, "masked=true kept=3 stored_values=3");
        QCOMPARE(column(kept["channels"], "kept"), (std::vector<double>{1, 2}));
        QCOMPARE(column(kept["channels"], "density"), (std::vector<double>{0.25, 0.5}));
    }

    void table()
    {
        const CliResult made = RAN(0, weight("p"));
        SAYS(made.out, "p: palette, fp16 [2, 4], 8 elements", "Stored as", "indices", "Read by",
             "Histogram", "4 entries, 2-bit indices", "duplicate of 1", "never used");
        const CliResult affine = weight("a");
        QVERIFY2(affine.out.contains("zero point"), affine.out);
        QVERIFY2(!affine.out.contains("Codebook"), affine.out);
        QVERIFY(weight("p", {u"-q"_s}).out.isEmpty());
    }

    void csv()
    {
        const CliResult made = RAN(0, weight("p", {u"--csv"_s, u"codebook"_s}));
        const QByteArrayList lines = made.out.split('\n');
        QCOMPARE(lines.front(),
                 QByteArray("codebook,entry,code,values,uses,share,duplicate_of,note"));
        QCOMPARE(lines.size(), 6); // the last one is empty
        QVERIFY2(lines[4].startsWith(",3,11,2,1,0.125,1,"), lines[4]);
        QCOMPARE(weight("a", {u"--csv"_s, u"scales"_s}).out,
                 QByteArray("at,scale,zero_point,exponent,bias\n0,0.5,1,,\n1,0.5,-2,,\n"));
    }

    void refusals()
    {
        const CliResult none = RAN(2, weight("nope"));
        QVERIFY2(none.err.contains("no weight of that name"), none.err);
        const CliResult table = RAN(2, weight("s", {u"--csv"_s, u"scales"_s}));
        QVERIFY2(table.err.contains("parts, histogram, density"), table.err);
        QCOMPARE(weight("s", {u"--bins"_s, u"0"_s}).exitCode, 2);
    }

    /// What is wrong is said with its place, exit 3, and what can be read is shown.
    void damaged()
    {
        MadeBundle made;
        const auto mask = made.blob(ElementType::Uint8, "[1]", hex("92"));
        const auto values =
            made.blob(ElementType::Fp16, "[2]", halves({1, 2})); // the mask keeps three
        made.line("tensor<fp16, [2, 4]> s = constexpr_sparse_to_dense()[mask = " + mask +
                  ", name = string(\"s\"), nonzero_data = " + values +
                  ", shape = tensor<uint32, [2]>([2, 4])]");
        made.consume("s");
        const auto indices = made.blob(ElementType::Uint8, "[2]", hex("04 D5"));
        const auto lut = made.blob(ElementType::Fp16, "[3]", halves({1, 2, 3})); // no power of two
        made.line("tensor<fp16, [2, 4]> p = constexpr_lut_to_dense()[indices = " + indices +
                  ", lut = " + lut +
                  ", name = string(\"p\"), shape = tensor<uint32, [2]>([2, 4])]");
        made.consume("p");
        const QString path = writeBundle(m_scratch, "damaged.mlmodelc", made);
        const CliResult shown = RAN(3, runCli("weight % s", path));
        SAYS(shown.out, "nonzero_data", "Histogram", "3 of 8 kept");
        QVERIFY2(shown.err.contains("weights/weight.bin"), shown.err);
        const Json json = RAN(3, runCli("weight % p --json", path)).json();
        HOLDS(json, "histogram=null codebooks=null diagnostics#=1");
    }

private:
    CliResult weight(const char *name, const QStringList &arguments = {}) const
    {
        return runCli(args("weight % %", m_path, QString::fromUtf8(name)) + arguments);
    }
    Json document(const char *name) const
    {
        return weight(name, {u"--json"_s, u"--bins"_s, u"4"_s}).json();
    }

    QTemporaryDir m_scratch;
    QString m_path;
};

KERNSCOPE_TEST(TestCliWeight, QCoreApplication)
#include "tst_cli_weight.moc"
