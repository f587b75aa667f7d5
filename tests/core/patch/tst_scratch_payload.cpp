// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/decode/decoder.h"
#include "core/codec/encode/encoder.h"
#include "core/numeric/npy.h"
#include "core/patch/aside.h"
#include "made_bundle.h"

#include <QFile>
#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <limits>

#include <fmt/format.h>

using namespace kernscope;
using namespace kernscope::test;

namespace {

using codec::EncodedWeight;

std::vector<float> randomValues(std::uint64_t count, QRandomGenerator &random)
{
    std::vector<float> values(count);
    for (float &value : values)
        value = static_cast<float>(random.bounded(4001) - 2000) / 1024.0f;
    return values;
}

Result<EncodedWeight> encodedAs(const QByteArray &form, const Shape &shape,
                                const std::vector<float> &values)
{
    if (form == "dense")
        return codec::encodeDense(values, shape, ElementType::Fp16);
    if (form == "dense fp32")
        return codec::encodeDense(values, shape, ElementType::Fp32);
    if (form == "sparse")
        return codec::encodeSparse(values, shape, 0.5f);
    if (form == "blockwise")
        return codec::encodeBlockwise(values, shape, {});
    return codec::encodePalette(values, shape, {.bits = form.right(1).toUInt()});
}

MadeBundle bundleOf(const EncodedWeight &encoded, const QByteArray &form)
{
    MadeBundle made;
    const std::string shape = shapeText(encoded.shape);
    std::vector<std::string> blobs;
    for (const codec::EncodedPart &part : encoded.parts) {
        const std::uint64_t bits = elementCount(part.shape)->value * bitWidth(part.type);
        blobs.push_back(
            made.blob(part.type, shapeText(part.shape), part.bytes, (8 - bits % 8) % 8));
    }
    const std::string_view type = form == "dense fp32" ? "fp32" : "fp16";
    const auto operation = [&](std::string_view name, std::string_view first,
                               std::string_view second) {
        made.line(fmt::format("tensor<fp16, {}> w = {}({} = {}, {} = {})[name = string(\"w\")]",
                              shape, name, first, blobs[0], second, blobs[1]));
    };
    if (form.startsWith("dense"))
        made.constant(fmt::format("tensor<{}, {}>", type, shape), "w", blobs[0]);
    else if (form == "sparse")
        operation("constexpr_sparse_to_dense", "mask", "nonzero_data");
    else if (form == "blockwise")
        operation("constexpr_blockwise_shift_scale", "data", "scale");
    else
        operation("constexpr_lut_to_dense", "indices", "lut");
    made.consume("w");
    return made;
}

} // namespace

/// An edit of very many elements is planned beside the file. What is planned is the same as where
/// it is written over the file, run for run.
class TestScratchPayload : public QObject
{
    Q_OBJECT

private slots:
    void sameAsOverTheFile_data();
    void sameAsOverTheFile();
    void fewChangesTakeLittle();
    void nothingChangesNothing();

private:
    void compare(const BundlePtr &bundle, const Edit &edit) const;
    Result<Edit> fromArray(const std::vector<float> &values, const Shape &shape) const
    {
        const QString path = m_scratch.filePath(QStringLiteral("a.npy"));
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly))
            return parseEdit(Edit::Kind::FromNpy, "");
        const std::string head = npyHeader(ElementType::Fp32, shape);
        file.write(head.data(), qint64(head.size()));
        file.write(reinterpret_cast<const char *>(values.data()),
                   qint64(values.size() * sizeof(float)));
        return parseEdit(Edit::Kind::FromNpy, "w=" + path.toStdString());
    }

    QTemporaryDir m_scratch;
};

void TestScratchPayload::compare(const BundlePtr &bundle, const Edit &edit) const
{
    constexpr double kAny = std::numeric_limits<double>::infinity();
    const auto beside = planEdits(bundle, {edit}, kAny);
    const auto over = planOnFork(bundle, {edit}, kAny);
    QCOMPARE(bool(beside), bool(over));
    if (!beside) {
        QCOMPARE(QString::fromStdString(describe(beside.error())),
                 QString::fromStdString(describe(over.error())));
        return;
    }
    const AppliedEdit &one = beside->front(), &other = over->edits.front();
    QCOMPARE(one.note, other.note);
    QCOMPARE(one.stored, other.stored);
    QCOMPARE(one.asked, other.asked);
    QCOMPARE(one.bytes.size(), other.bytes.size());
    for (std::size_t i = 0; i < one.bytes.size(); ++i) {
        QCOMPARE(one.bytes[i].file, other.bytes[i].file);
        QCOMPARE(one.bytes[i].offset, other.bytes[i].offset);
        QVERIFY(one.bytes[i].before == other.bytes[i].before);
        QVERIFY(one.bytes[i].after == other.bytes[i].after);
    }
    QVERIFY(!bundle->modified());
}

void TestScratchPayload::sameAsOverTheFile_data()
{
    QTest::addColumn<QByteArray>("form");
    QTest::addColumn<quint64>("rows");
    QTest::addColumn<quint64>("columns");
    for (const char *form : {"dense", "dense fp32", "sparse", "blockwise", "lut1", "lut2", "lut3",
                             "lut4", "lut6", "lut8"}) {
        QTest::addRow("%s, small", form) << QByteArray(form) << quint64(5) << quint64(32);
        QTest::addRow("%s, some runs", form) << QByteArray(form) << quint64(37) << quint64(1056);
        QTest::addRow("%s, large pages", form)
            << QByteArray(form) << quint64(1027) << quint64(1600);
    }
}

void TestScratchPayload::sameAsOverTheFile()
{
    QFETCH(QByteArray, form);
    QFETCH(quint64, rows);
    QFETCH(quint64, columns);
    QRandomGenerator random(11);
    const Shape shape{rows, columns};
    const std::vector<float> values = randomValues(rows * columns, random);
    const auto encoded = encodedAs(form, shape, values);
    QVERIFY(encoded);
    const auto bundle = bundleOf(*encoded, form).open();
    QVERIFY(bundle);
    QVERIFY(!(*bundle)->weights()[0].fault);
    for (const char *text : {"w[:]=0.125", "w[0:2]=0.75", "w[1:4,:]=-0.5", "w[:,3]=0.25"})
        compare(*bundle, *parseEdit(Edit::Kind::Fill, text));
    compare(*bundle, *parseEdit(Edit::Kind::Compute, "w=w*0.5"));
    const auto decoder = (*bundle)->decoder(0);
    QVERIFY(decoder);
    std::vector<float> now(values.size());
    decoder->decodeFloat(0, now);
    // All change, one in a hundred, one stretch, a few far apart.
    for (const int kind : {0, 1, 2, 3}) {
        std::vector<float> wanted = now;
        const std::size_t step = wanted.size() / 5 + 1;
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            const bool changes = kind == 0   ? true
                                 : kind == 1 ? random.bounded(100) == 0
                                 : kind == 2 ? i > step && i < 2 * step
                                             : i % step == 1;
            if (changes && (now[i] != 0 || form != "sparse"))
                wanted[i] = now[values.size() - 1 - i] != 0 ? now[values.size() - 1 - i] : 0.625f;
        }
        const auto edit = fromArray(wanted, shape);
        QVERIFY(edit);
        compare(*bundle, *edit);
        if (QTest::currentTestFailed())
            return;
    }
}

/// Runs that change by one element each: blocks that stay are given back.
void TestScratchPayload::fewChangesTakeLittle()
{
    const Shape shape{512, 4096};
    std::vector<float> values(512 * 4096, 0.5f);
    const auto encoded = codec::encodeDense(values, shape, ElementType::Fp16);
    QVERIFY(encoded);
    const auto bundle = bundleOf(*encoded, "dense").open();
    QVERIFY(bundle);
    for (std::size_t i = 77; i < values.size(); i += 16384)
        values[i] = 0.25f;
    const auto edit = fromArray(values, shape);
    QVERIFY(edit);
    const auto planned = planEdits(*bundle, {*edit}, 0);
    QVERIFY(planned);
    QCOMPARE(planned->front().bytes.size(), std::size_t(128));
    for (const FileEdit &one : planned->front().bytes)
        QCOMPARE(one.after.size(), std::size_t(1)); // 0x3800 becomes 0x3400
    compare(*bundle, *edit);
}

void TestScratchPayload::nothingChangesNothing()
{
    const Shape shape{64, 1024};
    const std::vector<float> values(64 * 1024, 0.5f);
    const auto encoded = codec::encodeDense(values, shape, ElementType::Fp16);
    QVERIFY(encoded);
    const auto bundle = bundleOf(*encoded, "dense").open();
    QVERIFY(bundle);
    const auto planned = planEdits(*bundle, {*parseEdit(Edit::Kind::Fill, "w[:]=0.5")}, 0);
    QVERIFY(planned);
    QVERIFY(planned->front().bytes.empty());
}

QTEST_APPLESS_MAIN(TestScratchPayload)
#include "tst_scratch_payload.moc"
