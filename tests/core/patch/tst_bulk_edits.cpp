// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/text.h"
#include "core/bundle/stored_values.h"
#include "core/codec/edit/editor.h"
#include "core/codec/encode/encoder.h"
#include "core/numeric/half.h"
#include "core/numeric/npy.h"
#include "core/patch/edit/copy_values.h"
#include "core/patch/edit/edit_parser.h"
#include "core/patch/edit/find_weight.h"
#include "core/patch/plan/recorder.h"
#include "core/patch/reencode/reencode.h"
#include "tests/core/patch/form_rows.h"

using ChangedRuns = std::vector<std::pair<std::size_t, std::size_t>>;

/// By the definition: each byte looked at.
ChangedRuns mergedByBytes(std::span<const std::byte> before, std::span<const std::byte> now,
                          std::size_t gap)
{
    ChangedRuns runs;
    for (std::size_t i = 0; i < before.size(); ++i) {
        if (before[i] == now[i])
            continue;
        if (runs.empty() || i - runs.back().second >= gap)
            runs.push_back({i, i});
        runs.back().second = i + 1;
    }
    return runs;
}

namespace {

using codec::EncodedWeight;

std::vector<float> randomValues(std::uint64_t count, QRandomGenerator &random)
{
    std::vector<float> values(count);
    for (float &value : values)
        value = float(random.bounded(4001) - 2000) / 1024.0f;
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

/// A bundle whose one weight is stored so.
Result<BundlePtr> bundleOf(const EncodedWeight &encoded)
{
    MadeBundle made;
    const std::uint64_t bits = elementCount(encoded.shape)->value * bitWidth(encoded.type);
    made.layer("w", shapeText(encoded.shape), Bytes(bits / 8), encoded.type);
    return reencodeWeight(**made.open(), 0, encoded);
}

constexpr double kAny = std::numeric_limits<double>::infinity();

/// The bundle once the edits are laid over it.
BundlePtr edited(BundlePtr bundle, const std::vector<Edit> &edits)
{
    const auto plans = planEdits(bundle, edits, kAny);
    if (!plans) {
        qWarning("%s: %s", plans.error().message.c_str(), plans.error().found.c_str());
        return nullptr;
    }
    for (const AppliedEdit &plan : *plans)
        bundle = *applyEdit(bundle, plan);
    return bundle;
}

} // namespace

/// An edit of many elements is planned beside the file. What is planned is what each element alone
/// would become, and where it is laid over the file, exactly its runs differ.
/// Values of one bundle given to a weight of another, in the form that this one has.
class TestBulkEdits : public QObject
{
    Q_OBJECT

private slots:
    void sameAsOverTheFile_data()
    {
        addColumns<QByteArray, quint64, quint64>();
        for (const char *form : {"dense", "dense fp32", "sparse", "blockwise", "lut1", "lut2",
                                 "lut3", "lut4", "lut6", "lut8"}) {
            QTest::addRow("%s, small", form) << QByteArray(form) << quint64(5) << quint64(32);
            QTest::addRow("%s, some runs", form)
                << QByteArray(form) << quint64(37) << quint64(1056);
            QTest::addRow("%s, large pages", form)
                << QByteArray(form) << quint64(661) << quint64(1600);
        }
    }

    void sameAsOverTheFile()
    {
        const auto [form, rows, columns] = fetched<QByteArray, quint64, quint64>();
        QRandomGenerator random(11);
        const Shape shape{rows, columns};
        const std::vector<float> values = randomValues(rows * columns, random);
        const auto encoded = VERIFIED(encodedAs(form, shape, values));
        const auto bundle = VERIFIED(bundleOf(*encoded));
        QVERIFY(!(*bundle)->weights()[0].fault);
        for (const char *text : {"w[:]=0.125", "w[0:2]=0.75", "w[1:4,:]=-0.5", "w[:,3]=0.25",
                                 "w[:,5:29]=0.5", "w[2:5,1:30]=-0.25"})
            compare(*bundle, *parseEdit(Edit::Kind::Fill, text));
        compare(*bundle, *parseEdit(Edit::Kind::Compute, "w=w*0.5"));
        const auto decoder = VERIFIED((*bundle)->decoder(0));
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
                    wanted[i] =
                        now[values.size() - 1 - i] != 0 ? now[values.size() - 1 - i] : 0.625f;
            }
            const auto edit = VERIFIED(fromArray(wanted, shape));
            compare(*bundle, *edit);
            if (QTest::currentTestFailed())
                return;
        }
    }

    /// Runs that change by one element each: blocks that stay are given back.
    void fewChangesTakeLittle()
    {
        const Shape shape{512, 4096};
        std::vector<float> values(512 * 4096, 0.5f);
        const auto encoded = VERIFIED(codec::encodeDense(values, shape, ElementType::Fp16));
        const auto bundle = VERIFIED(bundleOf(*encoded));
        for (std::size_t i = 77; i < values.size(); i += 16384)
            values[i] = 0.25f;
        const auto edit = VERIFIED(fromArray(values, shape));
        const auto planned = VERIFIED(planEdits(*bundle, {*edit}, 0));
        QCOMPARE(planned->front().bytes.size(), 128U);
        for (const FileEdit &one : planned->front().bytes)
            QCOMPARE(one.after.size(), 1U); // 0x3800 becomes 0x3400
        compare(*bundle, *edit);
    }

    void nothingChangesNothing()
    {
        const Shape shape{64, 1024};
        const std::vector<float> values(64 * 1024, 0.5f);
        const auto encoded = VERIFIED(codec::encodeDense(values, shape, ElementType::Fp16));
        const auto bundle = VERIFIED(bundleOf(*encoded));
        const auto planned =
            VERIFIED(planEdits(*bundle, {*parseEdit(Edit::Kind::Fill, "w[:]=0.5")}, 0));
        QVERIFY(planned->front().bytes.empty());
    }

    /// Each sees what the ones before it made; all of them taken back, nothing is left.
    void severalEdits()
    {
        QRandomGenerator random(3);
        const Shape shape{37, 1056};
        for (const char *form : {"dense", "lut3", "lut6", "blockwise"}) {
            const auto encoded = VERIFIED(encodedAs(form, shape, randomValues(37 * 1056, random)));
            const auto bundle = VERIFIED(bundleOf(*encoded));
            std::vector<Edit> edits;
            for (const char *text : {"w[:]=0.125", "w[:,3:9]=0.75", "w[5,:]=-0.5"})
                edits.push_back(*parseEdit(Edit::Kind::Fill, text));
            edits.push_back(*parseEdit(Edit::Kind::Compute, "w[3:20,1:1000]=w*0.5"));
            const double any = std::numeric_limits<double>::infinity();
            const auto planned = planEdits(*bundle, edits, any);
            const auto kept = planOnFork(*bundle, edits, any);
            QVERIFY(planned && kept);
            BundlePtr now = *bundle;
            for (std::size_t i = 0; i < edits.size(); ++i) {
                const auto alone = VERIFIED(planOnFork(now, {edits[i]}, any));
                QCOMPARE(alone->edits[0].bytes.size(), (*planned)[i].bytes.size());
                for (std::size_t run = 0; run < alone->edits[0].bytes.size(); ++run)
                    QVERIFY(alone->edits[0].bytes[run].after == (*planned)[i].bytes[run].after);
                now = alone->bundle;
            }
            const auto bytesOf = [](const Bundle &one) {
                const auto bytes = one.files().back().file->bytes();
                return std::vector<std::byte>(bytes.begin(), bytes.end());
            };
            QVERIFY(bytesOf(*now) == bytesOf(*kept->bundle));
            for (std::size_t i = edits.size(); i-- > 0;)
                QVERIFY(revertEdit(kept->bundle, kept->edits[i]));
            QVERIFY(!kept->bundle->modified());
        }
    }

    void mergedRuns()
    {
        QRandomGenerator random(9);
        for (int round = 0; round < 100; ++round) {
            const std::size_t size = random.bounded(1500U);
            std::vector<std::byte> before(size), now;
            for (std::byte &byte : before)
                byte = static_cast<std::byte>(random.bounded(256));
            now = before;
            const std::uint32_t changes = random.bounded(20U);
            for (std::uint32_t i = 0; i < changes && size > 0; ++i) {
                const std::size_t from = random.bounded(quint32(size));
                const std::size_t length = 1 + random.bounded(i % 4 == 0 ? 200U : 3U);
                for (std::size_t at = from; at < std::min(size, from + length); ++at)
                    now[at] = ~before[at];
            }
            for (const std::size_t gap : {std::size_t{128}, std::size_t{200}, std::size_t{1024}}) {
                ChangedRuns found;
                patch::forEachMergedChange(before, now, gap, [&](std::size_t from, std::size_t to) {
                    found.push_back({from, to});
                });
                QVERIFY(found == mergedByBytes(before, now, gap));
            }
        }
    }

    void everyForm_data() { addForms(); }

    /// From any form to dense: exactly the values of the other, and nothing is left to copy.
    void everyForm()
    {
        const auto [form] = fetched<QString>();
        const BundlePtr from = *sampleBundle(form.toStdString()).open();
        const BundlePtr to = *sampleBundle("dense-fp16").open();
        const std::uint64_t count = to->weights()[0].elements.value;
        if (from->weights()[0].elements.value != count) {
            QCOMPARE(patch::copyValues(*to, 0, *from, 0, 0, count).error().code, "patch.copy");
            return;
        }
        const auto edits = VERIFIED(patch::copyValues(*to, 0, *from, 0, 0, count));
        const BundlePtr now = VERIFIED(edited(to, *edits));
        const auto wanted = decoded(*from, "w"), found = decoded(*now, "w");
        bool exact = true; // in the fp16 of the receiver
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            const float held = halfToFloat(floatToHalf(wanted[i]));
            exact = exact && held == wanted[i];
            QCOMPARE(found[i], held);
        }
        QCOMPARE(patch::copyValues(*now, 0, *from, 0, 0, count)->empty(), exact);
    }

    /// Elements of other places, as a part of a split weight has them in the whole.
    void runs()
    {
        const BundlePtr from = *sampleBundle("lut4").open(),
                        to = *sampleBundle("dense-fp16").open();
        const auto before = decoded(*to, "w"), other = decoded(*from, "w");
        const std::array<patch::CopyRun, 2> runs{{{0, 4, 2}, {7, 1, 1}}};
        const auto edits = VERIFIED(patch::copyRuns(*to, 0, *from, 0, runs));
        const auto found = decoded(*edited(to, *edits), "w");
        for (std::size_t i = 0; i < found.size(); ++i) {
            const float wanted = i < 2 ? other[i + 4] : i == 7 ? other[1] : before[i];
            QCOMPARE(found[i], halfToFloat(floatToHalf(wanted)));
        }
        const patch::CopyRun beyond{0, before.size(), 1};
        QCOMPARE(patch::copyRuns(*to, 0, *from, 0, std::span(&beyond, 1)).error().code,
                 "patch.copy");
    }

    /// The entries are those of the other afterwards, the indices those that there were.
    void codebooks()
    {
        const BundlePtr to = *sampleBundle("lut4").open();
        const auto other = VERIFIED(
            edited(*sampleBundle("lut4").open(), {*parseEdit(Edit::Kind::Codebook, "w[0][3]=2.5"),
                                                  *parseEdit(Edit::Kind::Codebook, "w[0][0]=-1")}));
        const auto edits = VERIFIED(patch::copyCodebooks(*to, 0, *other, 0));
        QCOMPARE(edits->size(), 2U);
        const BundlePtr now = VERIFIED(edited(to, *edits));
        QCOMPARE(decoded(*now, "w"), decoded(*other, "w"));
        QVERIFY(patch::copyCodebooks(*now, 0, *other, 0)->empty());
        QCOMPARE(
            patch::copyCodebooks(**sampleBundle("dense-fp16").open(), 0, *other, 0).error().code,
            "patch.copy");
    }

    /// More elements than edits of their own are worth: one edit that carries the values, exactly
    /// those that the filter lets pass, and a script that says the same element by element.
    void many()
    {
        constexpr std::uint64_t kElements = 300000;
        const auto bundle = [](float scale) {
            std::vector<float> values;
            for (std::uint64_t i = 0; i < kElements; ++i)
                values.push_back(scale * float(i % 1999));
            MadeBundle made;
            made.weight("w", "[300, 1000]", halves(values));
            return *made.open();
        };
        BundlePtr to = bundle(1);
        const BundlePtr from = bundle(0.5f);
        const auto wanted = decoded(*from, "w"), before = decoded(*to, "w");
        const auto all = VERIFIED(patch::copyValues(*to, 0, *from, 0, 0, kElements));
        QCOMPARE(all->size(), 1U);
        // Zeros are the same in both.
        QCOMPARE(patch::copiedElements(*all), kElements - (kElements + 1998) / 1999);
        QCOMPARE(decoded(*edited(to, *all), "w"), wanted);
        to = bundle(1); // the edits were laid over the first one
        const auto small = [](double now, double then) { return now - then <= 8; };
        const auto some =
            VERIFIED(patch::copyValues(*to, 0, *from, 0, 0, kElements, nullptr, small));
        QCOMPARE(some->size(), 1U);
        const BundlePtr now = edited(to, *some);
        const auto found = decoded(*now, "w");
        for (std::size_t i = 0; i < found.size(); ++i)
            QCOMPARE(found[i], before[i] - wanted[i] <= 8 ? wanted[i] : before[i]);
        const auto lines = VERIFIED(parseEditScript(patch::scriptText(*some), "changes.kpatch"));
        QCOMPARE(lines->size(), patch::copiedElements(*some));
        QCOMPARE(editText(lines->front()), "w[1]=0.5");
        QCOMPARE(editText(some->front()),
                 "w=made.mlmodelc#w (" + counted(lines->size(), "element") + ")");
        // Runs that leave the weight are refused, not written elsewhere.
        Edit beyond = some->front();
        beyond.indices.back() = IndexRange{kElements - 1, kElements + 1, false, false};
        QVERIFY(!planEdits(to, {beyond}, kAny));
    }

    /// Integers that fp32 does not have are copied whole, those of a run and single ones.
    void wideIntegers()
    {
        const auto bundle = [](std::size_t count, ElementType type, auto first) {
            Bytes bytes(count * sizeof first);
            for (std::size_t i = 0; i < count; ++i, ++first)
                std::memcpy(bytes.data() + i * sizeof first, &first, sizeof first);
            MadeBundle made;
            made.weight("w", fmt::format("[{}]", count), bytes, type);
            return *made.open();
        };
        constexpr std::int32_t kFirst = (1 << 24) + 1;
        for (const std::size_t count : {2U, 1000U}) {
            const BundlePtr from = bundle(count, ElementType::Int32, kFirst),
                            to = bundle(count, ElementType::Int32, std::int32_t(7));
            const auto edits = VERIFIED(patch::copyValues(*to, 0, *from, 0, 0, count));
            const BundlePtr now = VERIFIED(edited(to, *edits));
            std::vector<double> found(count);
            decodeDoubles(*now->decoder(0), 0, found);
            for (std::size_t i = 0; i < count; ++i)
                QCOMPARE(found[i], double(kFirst) + double(i));
        }
        // Of 64 bits those that fp64 may have rounded are refused.
        const std::string head = npyHeader(ElementType::Int64, {1});
        for (const int bits : {40, 53}) {
            const auto number = std::int64_t(1) << bits;
            Bytes bytes = asBytes(QByteArray::fromStdString(head));
            bytes.resize(bytes.size() + sizeof number);
            std::memcpy(bytes.data() + head.size(), &number, sizeof number);
            const auto from = VERIFIED(Bundle::open("x.npy", {.memory = {{"x.npy", bytes}}}));
            const BundlePtr to = bundle(1, ElementType::Int32, std::int32_t(7));
            QCOMPARE(patch::copyValues(*to, 0, **from, 0, 0, 1).has_value(), bits < 53);
        }
    }

    /// What the mask leaves out is kept first, then the others get their values.
    void manyOfAMask()
    {
        constexpr std::uint64_t kElements = 1024;
        constexpr std::uint64_t kLeftOut = 16; // the record has room for these
        Bytes mask(kElements / 8, std::byte{0xFF}), values;
        std::fill_n(mask.begin(), kLeftOut, std::byte{0xFE});
        const std::uint16_t one = floatToHalf(1);
        for (std::uint64_t i = 0; i < kElements - kLeftOut; ++i) {
            values.push_back(static_cast<std::byte>(one & 0xFF));
            values.push_back(static_cast<std::byte>(one >> 8));
        }
        MadeBundle sparse, dense;
        sparse.weight("m", "[1024]", mask, ElementType::Uint1);
        sparse.weight("v", "[1008]", values);
        sparse.line("tensor<fp16, [1024]> w = constexpr_sparse_to_dense(mask = m, nonzero_data = v)"
                    "[name = string(\"w_op\")]");
        sparse.consume("w");
        // A record behind: up to it the payload may grow.
        sparse.layer("behind", "[1]", halves({1}));
        std::vector<float> full(kElements);
        std::iota(full.begin(), full.end(), 2.0f);
        dense.weight("w", "[1024]", halves(full));
        const auto to = sparse.open(), from = dense.open();
        QVERIFY(to && from);
        QCOMPARE((*to)->weights()[0].name, "w");
        const auto edits = VERIFIED(patch::copyValues(**to, 0, **from, 0, 0, kElements));
        QCOMPARE(edits->size(), kLeftOut + 1); // those that are kept, and the others as one
        const BundlePtr now = edited(*to, *edits);
        QVERIFY(now);
        QCOMPARE(decoded(*now, "w"), decoded(**from, "w"));
    }

    void refused()
    {
        const BundlePtr from = *sampleBundle("lut4").open(),
                        to = *sampleBundle("dense-fp16").open();
        const std::uint64_t all = to->weights()[0].elements.value;
        QCOMPARE(patch::copyValues(*to, 0, *from, 0, all, 1).error().code, "patch.copy");
        QCOMPARE(patch::copyValues(*to, 0, *from, 0, 1, all).error().code, "patch.copy");
        QCOMPARE(patch::copyValues(*to, 0, *from, 0, 2, UINT64_MAX).error().code, "patch.copy");
        Progress progress;
        progress.cancel();
        QCOMPARE(patch::copyValues(*to, 0, *from, 0, 0, all, &progress).error().code,
                 "task.cancelled");
    }

private:
    /// A fill: some of its elements became what Editor makes of each, the others stayed.
    void compareElements(const Bundle &bundle, const Bundle &after, const Edit &edit) const
    {
        const auto before = bundle.decoder(0), now = after.decoder(0);
        QVERIFY(before && now);
        std::vector<float> old(before->elements().value), held(old.size());
        before->decodeFloat(0, old);
        now->decodeFloat(0, held);
        auto selection =
            VERIFIED(patch::ElementSelection::make(edit.indices, bundle.weights()[0].shape));
        const std::uint64_t step = 1 + selection->elements() / 200;
        std::uint64_t number = 0;
        for (auto run = selection->next(); run.count > 0; run = selection->next()) {
            for (std::uint64_t at = run.first; at < run.first + run.count; ++at) {
                const float was = old[at];
                old[at] = held[at];
                if (number++ % step != 0)
                    continue;
                const auto plan = VERIFIED(codec::Editor(*before).setElement(
                    at, edit.value, std::numeric_limits<double>::infinity()));
                QVERIFY2(plan->stored == double(held[at]) || was == held[at],
                         std::to_string(at).c_str());
            }
        }
        QVERIFY(old == held);
    }

    /// The runs of an edit are those where the file differs now, merged where they are very many.
    void compareRuns(const Bundle &after, const AppliedEdit &edit) const
    {
        for (const FileEdit &one : edit.bytes)
            QVERIFY(one.file == edit.bytes.front().file);
        if (edit.bytes.empty())
            return;
        const OverlaidFile &file = *after.files()[edit.bytes.front().file].file;
        auto runs = file.changedRanges(1, patch::kMostExactRuns + 1);
        if (runs.size() > patch::kMostExactRuns)
            runs = file.changedRanges(patch::kMergeGaps.front());
        QCOMPARE(edit.bytes.size(), runs.size());
        for (std::size_t i = 0; i < runs.size(); ++i) {
            const FileEdit &one = edit.bytes[i];
            const ByteRange &run = runs[i];
            QVERIFY(one.offset == run.offset && one.after.size() == run.bytes.value &&
                    one.before.size() == run.bytes.value);
            const auto bytes = file.bytes().subspan(run.offset.value, run.bytes.value);
            QVERIFY(std::equal(bytes.begin(), bytes.end(), one.after.begin()));
            std::vector<std::byte> disk(run.bytes.value);
            file.readDisk(run.offset, disk);
            QVERIFY(std::equal(disk.begin(), disk.end(), one.before.begin()));
        }
    }

    void compare(const BundlePtr &bundle, const Edit &edit) const
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
        compareRuns(*over->bundle, one);
        if (edit.kind == Edit::Kind::Fill)
            compareElements(*bundle, *over->bundle, edit);
    }

    Result<Edit> fromArray(const std::vector<float> &values, const Shape &shape) const
    {
        const QString path = m_scratch.filePath(u"a.npy"_s);
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

KERNSCOPE_TEST(TestBulkEdits, QCoreApplication)
#include "tst_bulk_edits.moc"
