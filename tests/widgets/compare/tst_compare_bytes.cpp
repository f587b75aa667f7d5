// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/text_alignment.h"
#include "core/numeric/bitpack.h"
#include "tests/widgets/compare/aligned_pairs.h"
#include "tests/widgets/compare/pair_bundles.h"
#include "tests/widgets/sample_session.h"
#include "widgets/compare/byte_compare_view.h"
#include "widgets/compare/bytes_dock.h"
#include "widgets/models/byte_models.h"

using namespace kernscope::ui;

namespace {

/// "=3 <2 >1 ~4/5": numbers of lines equal, only in A, only in B, and one changed one.
QString shapeOf(const std::vector<TextPiece> &pieces)
{
    QStringList list;
    for (const TextPiece &piece : pieces) {
        const char *kind = piece.equal          ? "="
                           : piece.lengthB == 0 ? "<"
                           : piece.lengthA == 0 ? ">"
                                                : "~";
        list.append(QString::fromLatin1(kind));
    }
    return list.join(QString());
}

constexpr std::uint64_t kColumns = 2048;

Bytes maskOf(std::uint64_t elements)
{
    Bytes mask(elements / 8);
    for (std::size_t i = 0; i < mask.size(); ++i)
        mask[i] = static_cast<std::byte>(i % 251 * 7);
    return mask;
}

std::string rowsShape(std::uint64_t elements)
{
    return "[" + std::to_string(elements / kColumns) + ", " + std::to_string(kColumns) + "]";
}

BundlePtr sparse(std::uint64_t elements)
{
    MadeBundle made;
    const Bytes mask = maskOf(elements);
    const std::uint64_t kept = countBits(mask, 0, elements);
    const auto bits = made.blob(ElementType::Uint8, "[" + std::to_string(mask.size()) + "]", mask);
    const auto values =
        made.blob(ElementType::Fp16, "[" + std::to_string(kept) + "]", Bytes(2 * kept));
    made.line("tensor<fp16, " + rowsShape(elements) + "> w = constexpr_sparse_to_dense()[mask = " +
              bits + ", nonzero_data = " + values + ", shape = tensor<uint32, [2]>(" +
              rowsShape(elements) + "), name = string(\"w_op\")]");
    made.consume("w");
    return *made.open();
}

BundlePtr dense(std::uint64_t elements)
{
    MadeBundle made;
    const std::string shape = rowsShape(elements);
    made.layer("w", shape, Bytes(2 * elements));
    return *made.open();
}

} // namespace

/// Which bytes of two bundles stand beside each other, and where they differ.
/// The masks by which kept values stand under the elements of a dense weight: who reads them, when.
class TestCompareBytes : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { theme::apply(false); }

    void alignsText_data()
    {
        const auto row = addColumns<QByteArray, QByteArray, QString>();
        row("equal", "a\nb\n", "a\nb\n", "==");
        row("empty against one", QByteArray(), "a\n", ">");
        row("inserted", "a\nc\n", "a\nb\nc\n", "=>=");
        row("removed", "a\nb\nc\n", "a\nc\n", "=<=");
        row("changed statement", "{\nfp16 w = const();\nx\n}\n",
            "{\nfp16 w = constexpr_sparse();\nx\n}\n", "=~==");
        row("renamed by a converter", "top\nfp16 w = const();\nend\n",
            "top\nint8 m = const();\nfp16 w_sparsified = constexpr_sparse();\nend\n", "=>~=");
        row("a word in common", "{\n func main<a>() {\n}\n", "{\n func main<b>() {\n}\n", "=~=");
        row("nothing in common", "a\nb\n", "c\n", "<<>");
        row("repeated lines", "}\n}\nx\n}\n", "}\nx\n}\n}\n", "=<=>=");
        row("moved", "a\nb\nc\n", "b\nc\na\n", "<==>");
        row("no end of line", "a\nb", "a\nb\n", "=~");
    }

    void alignsText()
    {
        const auto [a, b, shape] = fetched<QByteArray, QByteArray, QString>();
        const auto pieces = VERIFIED(alignTexts(a.toStdString(), b.toStdString()));
        QCOMPARE(shapeOf(*pieces), shape);
    }

    void alignedTextCoversBoth()
    {
        QRandomGenerator random(7);
        for (int round = 0; round < 200; ++round) {
            const auto make = [&random] {
                std::string text;
                for (quint32 i = random.bounded(30u); i > 0; --i)
                    text += std::string(1, char('a' + random.bounded(6))) + " = " +
                            std::to_string(random.bounded(3)) + "\n";
                return text;
            };
            const std::string a = make(), b = make();
            const auto pieces = VERIFIED(alignTexts(a, b));
            std::uint64_t atA = 0, atB = 0;
            for (const TextPiece &piece : *pieces) {
                QCOMPARE(piece.firstA, atA);
                QCOMPARE(piece.firstB, atB);
                atA += piece.lengthA;
                atB += piece.lengthB;
                const auto lineA = a.substr(piece.firstA, piece.lengthA);
                const auto lineB = b.substr(piece.firstB, piece.lengthB);
                QCOMPARE(piece.equal, lineA == lineB);
                if (piece.equal)
                    continue;
                QVERIFY(piece.prefix + piece.suffix <= std::min(piece.lengthA, piece.lengthB));
                QCOMPARE(lineA.substr(0, piece.prefix), lineB.substr(0, piece.prefix));
            }
            QCOMPARE(atA, a.size());
            QCOMPARE(atB, b.size());
        }
    }

    void hugeTextIsNotAligned()
    {
        const std::string lines(100, '\n');
        QVERIFY(!alignTexts(lines, lines, 99));
        QVERIFY(alignTexts(lines, lines, 100));
        QVERIFY(looksLikeText("program(1.3)\n"));
        QVERIFY(!looksLikeText(std::string_view("\x08\x01", 2)));
        QVERIFY(!looksLikeText({}));
    }

    void alignsSections()
    {
        const auto a = openSample("dense"), b = openSample("sparse");
        const auto bytes = alignedBytes(a, b);
        // Every byte of both sides is there once, in order.
        std::map<std::pair<bool, std::size_t>, std::uint64_t> covered;
        std::size_t onlyA = 0, onlyB = 0, both = 0;
        for (const AlignedSection &section : bytes->alignment.sections()) {
            onlyA += section.b == kNoIndex;
            onlyB += section.a == kNoIndex;
            both += section.a != kNoIndex && section.b != kNoIndex;
            if (section.a != kNoIndex && section.b != kNoIndex) {
                // What stores the elements is one thing, all of them or those that are kept.
                const SectionKind kindB = b->sections()[section.b].kind;
                QCOMPARE(a->sections()[section.a].kind,
                         kindB == SectionKind::Values ? SectionKind::Data : kindB);
            }
        }
        QVERIFY(onlyB > 0 && both > onlyA);
        for (const AlignedSegment &segment : bytes->alignment.segments()) {
            const AlignedFile &file = bytes->alignment.fileOf(segment);
            covered[{true, file.a}] += segment.lengthA;
            covered[{false, file.b}] += segment.lengthB;
        }
        for (std::size_t i = 0; i < a->files().size(); ++i)
            QCOMPARE(covered[std::pair(true, i)], a->files()[i].file->size().value);
        for (std::size_t i = 0; i < b->files().size(); ++i)
            QCOMPARE(covered[std::pair(false, i)], b->files()[i].file->size().value);
        // A place leads back to itself.
        const std::size_t file = *a->fileByPath("weights/weight.bin");
        for (const std::uint64_t offset : {0u, 64u, 200u, 1000u}) {
            const auto place = bytes->alignment.placeOf(true, file, offset);
            QVERIFY(place.segment != kNoIndex);
            QCOMPARE(bytes->alignment.segments()[place.segment].firstA + place.offset, offset);
        }
        QCOMPARE(bytes->alignment.placeOf(true, file, 1u << 30).segment, kNoIndex);
    }

    void differencesOfBytes_data()
    {
        test::addColumns<std::vector<std::uint64_t>, std::vector<std::uint64_t>>();
        using Places = std::vector<std::uint64_t>;
        test::addRow("none", Places{}, Places{});
        test::addRow("one", Places{100}, Places{100});
        test::addRow("near ones are one", Places{100, 104, 115}, Places{100});
        test::addRow("far ones are two", Places{100, 117}, Places{100, 117});
        test::addRow("both ends", Places{0, 299999}, Places{0, 299999});
        test::addRow("over a block's edge", Places{65535, 65536, 131071}, Places{65535, 131071});
    }

    void differencesOfBytes()
    {
        const auto [changed, starts] =
            test::fetched<std::vector<std::uint64_t>, std::vector<std::uint64_t>>();
        std::vector<std::uint8_t> a(300000, 7), b = a;
        for (const std::uint64_t at : changed)
            b[at] = 9;
        const auto bytes = blobPair(a, b);
        const std::size_t segment = payloadSegment(*bytes);
        Progress progress;
        const auto found = VERIFIED(ByteDifferences::find(*bytes, progress));
        QCOMPARE(found->tally().total(), changed.size());
        std::vector<std::uint64_t> forward, backward;
        for (auto run = found->first(*bytes); run;
             run = found->next(*bytes, run->segment, run->first)) {
            QCOMPARE(run->segment, segment);
            forward.push_back(run->first);
        }
        QCOMPARE(forward, starts);
        for (auto run = found->last(*bytes); run;
             run = found->previous(*bytes, run->segment, run->first))
            backward.insert(backward.begin(), run->first);
        QCOMPARE(backward, starts);
        progress.cancel();
        QVERIFY(!ByteDifferences::find(*bytes, progress));
    }

    void longDifferencesAreBounded()
    {
        // Longer than one difference is followed: it counts as several, and all of it is reached.
        const std::uint64_t size = 9u << 20;
        const auto bytes =
            blobPair(std::vector<std::uint8_t>(size, 1), std::vector<std::uint8_t>(size, 2));
        Progress progress;
        const auto found = VERIFIED(ByteDifferences::find(*bytes, progress));
        QCOMPARE(found->tally().total(), size);
        QVERIFY(found->blocks().size() <= 5000);
        std::uint64_t end = 0;
        int steps = 0;
        for (auto run = found->first(*bytes); run && steps < 100;
             run = found->next(*bytes, run->segment, run->first), ++steps)
            end = run->end();
        QCOMPARE(end, size);
        QVERIFY(steps >= 2 && steps < 10);
    }

    void randomDifferencesAgree()
    {
        QRandomGenerator random(11);
        for (int round = 0; round < 30; ++round) {
            const auto sizeA = random.bounded(1u, 5000u), sizeB = random.bounded(1u, 5000u);
            std::vector<std::uint8_t> a(sizeA, 3), b(sizeB, 3);
            for (quint32 i = random.bounded(40u); i > 0; --i)
                b[random.bounded(sizeB)] = 4;
            const auto bytes = blobPair(a, b);
            const std::size_t segment = payloadSegment(*bytes);
            Progress progress;
            const auto found = ByteDifferences::find(*bytes, progress);
            std::vector<bool> differs(std::max(sizeA, sizeB));
            for (std::size_t i = 0; i < differs.size(); ++i)
                differs[i] = i >= sizeA || i >= sizeB || a[i] != b[i];
            QCOMPARE(found->tallyOf(bytes->alignment.segments()[segment].section).total(),
                     std::uint64_t(std::ranges::count(differs, true)));
            // Every start of a run is found, and nothing between.
            std::vector<std::uint64_t> expected, got;
            std::size_t quiet = ByteDifferences::kJoin;
            for (std::size_t i = 0; i < differs.size(); ++i) {
                if (differs[i] && quiet >= ByteDifferences::kJoin)
                    expected.push_back(i);
                quiet = differs[i] ? 0 : quiet + 1;
            }
            for (auto run = found->first(*bytes); run;
                 run = found->next(*bytes, run->segment, run->first)) {
                if (run->segment == segment)
                    got.push_back(run->first);
            }
            QCOMPARE(got, expected);
        }
    }

    void rowsRoundTrip()
    {
        const auto bytes = alignedBytes(openSample("dense"), openSample("palette"));
        for (const std::uint64_t perRow : {4u, 8u, 16u, 32u}) {
            const ByteRows rows(bytes->alignment, perRow);
            std::uint64_t shown = 0, expected = 0;
            for (const AlignedSegment &segment : bytes->alignment.segments())
                expected += rows.width(segment, true) == rows.width(segment, false)
                                ? segment.length()
                                : segment.lengthA;
            for (std::uint64_t at = 0; at < rows.rows(); ++at) {
                const ByteRows::Row row = rows.at(bytes->alignment, at);
                if (row.kind == ByteRows::Row::Kind::FileTitle) {
                    QCOMPARE(rows.titleOfFile(row.index), at);
                } else if (row.kind == ByteRows::Row::Kind::SectionTitle) {
                    QCOMPARE(rows.titleOfSection(row.index), at);
                } else {
                    QVERIFY(row.bytesA + row.bytesB > 0);
                    for (const bool ofA : {true, false}) {
                        if (row.bytes(ofA) == 0)
                            continue;
                        const std::uint64_t last = row.offset(ofA) + row.bytes(ofA) - 1;
                        QCOMPARE(rows.rowOf(bytes->alignment, row.index, row.offset(ofA), ofA), at);
                        QCOMPARE(rows.rowOf(bytes->alignment, row.index, last, ofA), at);
                    }
                    shown += row.bytesA;
                }
            }
            QCOMPARE(shown, expected);
        }
    }

    /// Rows without a difference are left out, all others stay in their order under their titles.
    void onlyRowsThatDiffer()
    {
        const auto bytes = alignedBytes(openSample("dense"), openSample("palette"));
        const ByteAlignment &alignment = bytes->alignment;
        Progress progress;
        const auto found = VERIFIED(ByteDifferences::find(*bytes, progress));
        const auto runs = VERIFIED(found->list(*bytes, 100000, progress))->runs;
        QVERIFY(!runs.empty());
        const ByteRows all(alignment, 16);
        ByteRows some(alignment, 16);
        some.keepOnly(alignment, runs);
        const auto differs = [&](const ByteRows::Row &row) {
            for (const bool ofA : {true, false}) {
                for (std::uint64_t i = 0; i < row.bytes(ofA); ++i) {
                    if (byteDiffers(*bytes, alignment.segments()[row.index], row.offset(ofA) + i,
                                    ofA))
                        return true;
                }
            }
            return false;
        };
        std::uint64_t shown = 0;
        for (std::uint64_t at = 0; at < all.rows(); ++at) {
            const ByteRows::Row row = all.at(alignment, at);
            if (row.kind != ByteRows::Row::Kind::Bytes)
                continue;
            const bool ofA = row.bytesA > 0;
            QCOMPARE(some.shows(alignment, row.index, row.offset(ofA), ofA), differs(row));
            shown += differs(row) ? 1 : 0;
        }
        QVERIFY(shown > 0);
        std::uint64_t rows = 0;
        bool title = false;
        for (std::uint64_t at = 0; at < some.rows(); ++at) {
            const ByteRows::Row row = some.at(alignment, at);
            title = row.kind == ByteRows::Row::Kind::SectionTitle || (title && at == 0);
            if (row.kind == ByteRows::Row::Kind::SectionTitle)
                QCOMPARE(some.titleOfSection(row.index), at);
            if (row.kind != ByteRows::Row::Kind::Bytes)
                continue;
            const bool ofA = row.bytesA > 0;
            QCOMPARE(some.rowOf(alignment, row.index, row.offset(ofA), ofA), at);
            ++rows;
        }
        QVERIFY(!title); // bytes stand under the last title
        QCOMPARE(rows, shown);
        QVERIFY(some.rows() < all.rows());
    }

    /// A kept value and the same element of a dense weight are in one row and in one column; what
    /// the mask leaves out is a gap.
    void keptValuesStandUnderTheirElements()
    {
        for (const bool denseIsA : {true, false}) {
            const auto dense = openSample("dense"), sparse = openSample("sparse");
            const auto &a = denseIsA ? dense : sparse, &b = denseIsA ? sparse : dense;
            const auto bytes = alignedBytes(a, b);
            const ByteAlignment &alignment = bytes->alignment;
            const auto kept = std::make_shared<const KeptSides>(findKeptSides(a, b, alignment));
            QVERIFY(!kept->empty());
            for (const std::uint64_t perRow : {4U, 16U, 32U}) {
                const ByteRows rows(alignment, perRow, kept);
                for (const auto &[segment, side] : *kept) {
                    QCOMPARE(side.keptIsA, !denseIsA);
                    const AlignedSection &section =
                        alignment.sections()[alignment.segments()[segment].section];
                    const std::size_t weightA = a->sections()[section.a].weight;
                    const std::size_t weightB = b->sections()[section.b].weight;
                    const auto decoder = VERIFIED(sparse->decoder(denseIsA ? weightB : weightA));
                    const std::uint64_t elements = side.places->elements();
                    for (std::uint64_t element = 0; element < elements;
                         element += 1 + element / 7) {
                        const std::size_t denseWeight = denseIsA ? weightA : weightB;
                        const auto there = placeOfElement(*dense, denseWeight, element);
                        const auto at =
                            alignment.placeOf(denseIsA, there->file, there->bytes.offset.value);
                        QCOMPARE(at.segment, segment);
                        const std::uint64_t number =
                            rows.rowOf(alignment, segment, at.offset, denseIsA);
                        const ByteRows::Row row = rows.at(alignment, number);
                        const std::uint64_t column = at.offset - row.offset(denseIsA);
                        QVERIFY(row.kept(!denseIsA) && column < row.places);
                        const auto byte = row.byteAt(!denseIsA, column);
                        QCOMPARE(byte.has_value(), decoder->stored(element));
                        if (!byte)
                            continue;
                        const std::size_t sparseWeight = denseIsA ? weightB : weightA;
                        const auto value = placeOfElement(*sparse, sparseWeight, element);
                        const auto over =
                            alignment.placeOf(!denseIsA, value->file, value->bytes.offset.value);
                        QCOMPARE(over.segment, segment);
                        QCOMPARE(over.offset, row.offset(!denseIsA) + *byte);
                        QCOMPARE(row.column(!denseIsA, *byte), column);
                        QCOMPARE(rows.rowOf(alignment, segment, over.offset, !denseIsA), number);
                    }
                    // Every kept byte is in one row.
                    std::uint64_t found = 0;
                    const std::uint64_t first = rows.rowOf(alignment, segment, 0, denseIsA);
                    for (std::uint64_t row = first; row < rows.rows(); ++row) {
                        const ByteRows::Row one = rows.at(alignment, row);
                        if (one.kind != ByteRows::Row::Kind::Bytes || one.index != segment)
                            break;
                        QCOMPARE(one.bytes(!denseIsA), std::uint64_t{one.columns.size()});
                        if (one.bytes(!denseIsA) > 0)
                            QCOMPARE(one.offset(!denseIsA), found);
                        found += one.bytes(!denseIsA);
                    }
                    QCOMPARE(found, alignment.segments()[segment].lengthOn(!denseIsA));
                }
            }
        }
    }

    void sectionTable()
    {
        const auto bytes = alignedBytes(openSample("dense"), openSample("sparse"));
        ByteSectionModel model;
        QAbstractItemModelTester tester(&model);
        model.setBytes(bytes);
        QCOMPARE(model.rowCount(), int(bytes->alignment.sections().size()));
        Progress progress;
        model.setDifferences(
            std::make_shared<const ByteDifferences>(*ByteDifferences::find(*bytes, progress)));
        model.sort(model.columnOf("changed"), Qt::DescendingOrder);
        std::uint64_t before = UINT64_MAX;
        for (int row = 0; row < model.rowCount(); ++row) {
            const auto number = [&](int column) {
                return model.index(row, column).data(SortRole).toULongLong();
            };
            const auto changed = number(model.columnOf("changed"));
            QVERIFY(changed <= before);
            before = changed;
            const auto onlyA = number(model.columnOf("only_a")),
                       onlyB = number(model.columnOf("only_b"));
            QVERIFY(changed + onlyA <= number(model.columnOf("bytes_a")));
            QVERIFY(changed + onlyB <= number(model.columnOf("bytes_b")));
            const QString state = model.index(row, model.columnOf("state")).data().toString();
            QCOMPARE(state.startsWith(u'='), changed + onlyA + onlyB == 0);
            QCOMPARE(model.rowOf(model.sectionAt(row)), row);
        }
        model.sort(-1, Qt::AscendingOrder);
        QCOMPARE(model.sectionAt(0), 0U);
        model.setBytes(nullptr);
        QCOMPARE(model.rowCount(), 0);
    }

    void countsTheMask()
    {
        constexpr std::uint64_t kElements = std::uint64_t{1} << 24; // several steps of the walk
        const BundlePtr bundle = sparse(kElements);
        const BundleReadLock lock(*bundle);
        const KeptPlaces places(bundle, 0);
        Progress progress;
        progress.setTotal(kElements);
        QVERIFY(!places.counted());
        QVERIFY(places.count(progress));
        QVERIFY(places.counted());
        QCOMPARE(progress.fraction(), 1.0);
        const Bytes mask = maskOf(kElements);
        for (std::uint64_t at = 0; at <= kElements; at += 65521)
            QCOMPARE(places.keptBefore(at), countBits(mask, 0, at));
        QCOMPARE(places.keptBefore(kElements), countBits(mask, 0, kElements));
        // Without being told to, it counts when it is first asked.
        const KeptPlaces other(bundle, 0);
        QCOMPARE(other.keptBefore(kElements - 1), places.keptBefore(kElements - 1));
    }

    void cancelled()
    {
        constexpr std::uint64_t kElements = std::uint64_t{1} << 20;
        const BundlePtr bundle = sparse(kElements);
        const BundleReadLock lock(*bundle);
        const KeptPlaces places(bundle, 0);
        Progress stopped, goes;
        stopped.cancel();
        QVERIFY(!places.count(stopped));
        QVERIFY(!places.counted());
        QVERIFY(places.count(goes));
        QCOMPARE(places.keptBefore(kElements), countBits(maskOf(kElements), 0, kElements));
    }

    /// What the view paints first needs no walk any more: the task that aligned the bytes did it.
    void largeMasksAreReadByTheTask()
    {
        constexpr std::uint64_t kElements = std::uint64_t{1} << 22;
        for (const bool denseIsA : {true, false}) {
            auto [session, dock] = test::Alone<BytesDock>();
            session.setBundle(denseIsA ? dense(kElements) : sparse(kElements));
            session.setOther(denseIsA ? sparse(kElements) : dense(kElements));
            bool counted = false; // when the rows are made
            connect(dock.view(), &ByteCompareView::scrolled, &dock, [&] {
                const auto &bytes = dock.view()->bytes();
                if (bytes && bytes->kept && !bytes->kept->empty())
                    counted = bytes->kept->begin()->second.places->counted();
            });
            QVERIFY(test::showDock(dock, 1200, 600));
            QTRY_VERIFY(dock.view()->bytes() && !dock.busy());
            QCOMPARE(dock.view()->bytes()->kept->size(), 1U);
            QVERIFY(counted);
        }
    }

    void smallMasksAreReadWhenAsked()
    {
        Session session;
        session.setBundle(dense(1 << 14));
        session.setOther(sparse(1 << 14));
        BytesDock dock(session);
        QVERIFY(test::showDock(dock, 1200, 600));
        QTRY_VERIFY(dock.view()->bytes() && !dock.busy());
        const auto &places = dock.view()->bytes()->kept->begin()->second.places;
        QVERIFY(!places->counted());
        QCOMPARE(places->keptBefore(1 << 14), countBits(maskOf(1 << 14), 0, 1 << 14));
    }

    void cancelledWhileAligning()
    {
        const BundlePtr a = dense(1 << 22), b = sparse(1 << 22);
        const BundleReadLock lock(*a, *b);
        const ByteAlignment alignment(*a, *b, pairWeights(*a, *b).pairs);
        const KeptSides sides = findKeptSides(a, b, alignment);
        QCOMPARE(sides.size(), 1U);
        Progress stopped;
        stopped.cancel();
        QVERIFY(!countLargeMasks(sides, stopped));
        QVERIFY(!sides.begin()->second.places->counted());
        Progress goes;
        QVERIFY(countLargeMasks(sides, goes));
        QVERIFY(sides.begin()->second.places->counted());
        QCOMPARE(goes.fraction(), 1.0);
    }
};

KERNSCOPE_TEST(TestCompareBytes, QApplication)
#include "tst_compare_bytes.moc"
