// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/element_changes.h"
#include "core/plan/section_build.h"
#include "tests/data/data_folder.h"
#include "tests/widgets/sample_session.h"
#include "widgets/bytes/hex_dock.h"
#include "widgets/bytes/hex_view.h"
#include "widgets/hardware/activation_dock.h"
#include "widgets/hardware/tasks_dock.h"
#include "widgets/models/part_models.h"

using namespace kernscope::ui;

namespace {

/// The weights of a sample as a weight section, those that a section has no place for left out.
BundlePtr sectionOf(const char *sample)
{
    const BundlePtr source = openSample(sample);
    if (!source)
        return nullptr;
    std::vector<codec::Decoder> decoders;
    decoders.reserve(source->weights().size());
    std::vector<section::BuildWeight> weights;
    section::BuildTarget target;
    target.name = "H13";
    for (std::size_t i = 0; i < source->weights().size(); ++i) {
        auto decoder = source->decoder(i);
        if (!decoder)
            continue;
        decoders.push_back(std::move(*decoder));
        auto weight = plan::sectionWeight(*source, i, decoders.back());
        if (weight && section::buildSection(target, {*weight}))
            weights.push_back(std::move(*weight));
    }
    auto bytes = section::buildSection(target, weights);
    if (!bytes)
        return nullptr;
    return Bundle::open("w.ksec", {.memory = {{"w.ksec", std::move(*bytes)}}}).value_or(nullptr);
}

BundlePtr realContainer(const QString &name)
{
    const QString path = dataPath(u"real/hwx/"_s + name);
    if (!QFile::exists(path))
        return nullptr;
    return Bundle::open(path.toStdString()).value_or(nullptr);
}

constexpr const char *kNoData = "The real containers are not here (KERNSCOPE_DATA)";

} // namespace

/// Marks of single elements where a weight lies in pieces: weight sections and lane slices.
class TestPieceMarks : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { theme::apply(false); }
    void elementsAndBytesAgree_data() { rows(); }

    void elementsAndBytesAgree()
    {
        const BundlePtr bundle = VERIFIED(bundleOfRow());
        std::size_t looked = 0;
        for (std::size_t i = 0; i < bundle->weights().size(); ++i) {
            const Weight &weight = bundle->weights()[i];
            const auto decoder = VERIFIED(bundle->decoder(i));
            const std::uint64_t step = weight.elements.value / 200 + 1;
            BoundOrder order;
            for (std::uint64_t element = 0; element < weight.elements.value; element += step) {
                const auto place = placeOfElement(*bundle, i, element, order);
                QVERIFY(place); // a zero that is left out has its bit of the mask
                const ByteField field = fieldAt(*bundle, 0, place->bytes.offset, order);
                QCOMPARE(field.weight, i);
                QVERIFY(field.element);
                const QString number = groupedNumber(element), text = fromUtf8(field.text);
                QVERIFY2(text.contains(number), qPrintable(text));
                QCOMPARE(field.type == ElementType::Uint1, !decoder->stored(element));
                if (bitWidth(field.type) >= 8) {
                    QCOMPARE(*field.element, element);
                    QCOMPARE(field.bytes, place->bytes);
                }
                ++looked;
            }
            QVERIFY(!placeOfElement(*bundle, i, weight.elements.value));
        }
        QVERIFY(looked > 0);
    }

    void changedBytesMarkTheirElement_data() { rows(); }

    void changedBytesMarkTheirElement()
    {
        const BundlePtr bundle = VERIFIED(bundleOfRow());
        std::size_t weight = 0;
        const std::uint64_t elements = bundle->weights()[weight].elements.value;
        const auto decoder = bundle->decoder(weight);
        std::uint64_t element = elements * 2 / 3;
        while (!decoder->stored(element))
            --element;
        const auto place = VERIFIED(placeOfElement(*bundle, weight, element));
        const ElementType type = fieldAt(*bundle, 0, place->bytes.offset).type;
        QVERIFY(changedElements(*bundle, weight).empty());
        const auto before = decoder->elements().value;
        std::vector<std::int64_t> was(before), is(before);
        decoder->codes(0, was);
        QVERIFY(turnByte(*bundle, 0, place->bytes.offset, std::byte{1}));
        const auto again = bundle->decoder(weight);
        again->codes(0, is);
        std::set<std::uint64_t> differing;
        for (std::uint64_t e = 0; e < before; ++e) {
            if (was[e] != is[e])
                differing.insert(e);
        }
        QCOMPARE(differing.size(), 1U);
        QVERIFY(bitWidth(type) < 8 || *differing.begin() == element);
        QVERIFY(changedElements(*bundle, weight) == differing);
    }

    void codebooksOfASection()
    {
        const BundlePtr bundle = VERIFIED(sectionOf("palette"));
        const std::size_t weight = weightWith(*bundle, codec::PartRole::Lut);
        QVERIFY(weight != kNoIndex);
        const auto decoder = bundle->decoder(weight);
        const auto data = VERIFIED(CodebookData::read(*bundle, weight, *decoder));
        const codec::Palette &palette = *bundle->weights()[weight].form.palette();
        QCOMPARE(data->entries, palette.entries);
        QCOMPARE(data->vector, palette.vector);
        QVERIFY(data->changed.empty());
        const codec::Operand &lut = *bundle->weights()[weight].operand(codec::PartRole::Lut);
        std::uint64_t place = 0;
        lut.order->positions(3, std::span(&place, 1));
        QVERIFY(turnByte(*bundle, 0, FileOffset(place / 8), std::byte{1}));
        const auto again = CodebookData::read(*bundle, weight, *bundle->decoder(weight));
        QCOMPARE(again->changed.size(), again->values.size());
        QVERIFY(again->changed[3] && !again->changed[2] && !again->changed[4]);
        const ByteField field = fieldAt(*bundle, 0, FileOffset(place / 8));
        QVERIFY2(field.text.starts_with("entry 3: "), field.text.c_str());
        // Every element with that code is marked, no other.
        std::vector<std::int64_t> codes(decoder->elements().value);
        decoder->codes(0, codes);
        std::set<std::uint64_t> of;
        for (std::uint64_t e = 0; e < codes.size(); ++e) {
            if (codes[e] == 3 && decoder->codebookOf(e).codebook == 0)
                of.insert(e);
        }
        QVERIFY(changedElements(*bundle, weight) == of);
    }

    void hexFollowsAndLeads_data() { rows(); }

    void hexFollowsAndLeads()
    {
        const BundlePtr bundle = VERIFIED(bundleOfRow());
        auto [session, dock] = Alone<HexDock>();
        QVERIFY(showDock(dock, session, bundle));
        auto *view = VERIFIED(dock.findChild<HexView *>());
        const auto decoder = bundle->decoder(0);
        std::uint64_t element = bundle->weights()[0].elements.value / 2;
        while (!decoder->stored(element))
            --element;
        session.goToElement(0, element);
        const auto place = placeOfElement(*bundle, 0, element);
        QCOMPARE(view->selection(), place->bytes);
        session.goToBytes(0, {FileOffset(0), ByteCount(1)});
        QVERIFY(!session.place().element);
        // The other way round: a click on the byte chooses the element.
        view->select(place->bytes);
        const QRect cell = view->cellRect(place->bytes.offset.value);
        QVERIFY(!cell.isEmpty());
        QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, cell.center());
        QCOMPARE(session.place().weight, 0U);
        QVERIFY(session.place().element);
        if (place->bytes.bytes.value > 1)
            QCOMPARE(*session.place().element, element);
    }

    void activationTableOfAContainer()
    {
        const BundlePtr bundle = realContainer(u"sigmoid-451e944648.hwx"_s);
        if (!bundle)
            QSKIP(kNoData);
        const auto &weights = bundle->weights();
        const auto table = std::ranges::find_if(weights, [](const Weight &weight) {
            return weight.role == WeightRole::ActivationTable;
        });
        QVERIFY(table != weights.end());
        auto [session, dock] = Alone<ActivationDock>();
        QVERIFY(showDock(dock, session, bundle));
        QVERIFY(dock.table()); // the only one, and nothing else is selected
        const hwx::Container &container = *bundle->hardware();
        const auto *kernel = container.firstOf(hwx::SectionType::Kernel);
        const auto tiles = hwx::kernelTiles(container);
        QVERIFY(kernel && !tiles.empty());
        const ByteRange header{FileOffset(0), ByteCount(4)};
        const std::uint64_t symbol =
            container.symbolTable->symbolOffset + 16 * tiles.front().symbol;
        const auto weight = std::size_t(table - weights.begin());
        const std::vector<ByteRange> places{
            *kernel->bytes, ByteRange{kernel->place, ByteCount(80)},
            ByteRange{FileOffset(symbol), ByteCount(16)},
            ByteRange{FileOffset(kernel->bytes->offset.value + 20), ByteCount(2)}};
        for (std::size_t way = 0; way < places.size() + 2; ++way) {
            session.goToBytes(0, header);
            QVERIFY(!dock.table());
            if (way < places.size())
                session.goToBytes(0, places[way]);
            else if (way == places.size())
                session.goToWeight(weight);
            else
                session.goToElement(weight, 7);
            QVERIFY(dock.table());
            QVERIFY(dock.showsContent());
            QCOMPARE(dock.model().rowCount(), 43);
            QCOMPARE(dock.plot().pointCount(), 33);
            QVERIFY(dock.table()->lowClamp() < dock.table()->highClamp());
        }
    }

    void wordsOfEveryContainerHaveNames()
    {
        const QStringList names = QDir(dataPath(u"real/hwx"_s)).entryList({u"*.hwx"_s});
        if (names.isEmpty())
            QSKIP(kNoData);
        for (const QString &name : names) {
            const BundlePtr bundle = realContainer(name);
            QVERIFY2(bundle, qPrintable(name));
            auto [session, dock] = Alone<TasksDock>();
            HexDock hex(session);
            QVERIFY(showDock(dock, session, bundle));
            QVERIFY(showDock(hex));
            auto *view = hex.findChild<HexView *>();
            // Each register and field: its row marks its bytes and bits, and they name it.
            const FactTreeModel &model = dock.registers();
            int rows = 0;
            for (int block = 0; block < model.rowCount(); ++block) {
                const QModelIndex group = model.index(block, 0);
                for (int i = 0; i < model.rowCount(group); ++i) {
                    const QModelIndex reg = model.index(i, 0, group);
                    for (int f = -1; f < model.rowCount(reg); ++f) {
                        const QModelIndex row = f < 0 ? reg : model.index(f, 0, reg);
                        dock.registerView().setCurrentIndex(row);
                        QCOMPARE(view->selection(), *model.bytesOf(row));
                        QCOMPARE(view->markedBits(), model.bitsOf(row));
                        const QString says = fromUtf8(view->fieldOf(view->cursor()).text);
                        QVERIFY2(says.startsWith(u"task "_s), qPrintable(says));
                        const QString word = row.data(CopyRole).toString();
                        const bool whole = f >= 0 && model.bitsOf(row)->count == 32;
                        QVERIFY2(whole || (f < 0 && block == 0) || says.contains(word),
                                 qPrintable(name + u' ' + says + u' ' + word));
                        ++rows;
                    }
                }
            }
            QVERIFY(bundle->hardware()->taskCount() == 0 || rows > 0);
        }
    }

private:
    /// What the row names: a container, or a sample as a section.
    static BundlePtr bundleOfRow()
    {
        const auto [name] = fetched<QString>();
        return name.endsWith(".hwx"_L1) ? realContainer(name)
                                        : sectionOf(name.toUtf8().constData());
    }

    /// Sections of the samples, and the real containers where these are here.
    static void rows()
    {
        addColumns<QString>();
        for (const char *name :
             {"dense", "sparse", "palette", "conv-ff52f832dc.hwx", "conv-ebc7f8305c.hwx",
              "gemm-aae2e35208.hwx", "sigmoid-451e944648.hwx"}) {
            const QString text = QString::fromLatin1(name);
            if (!text.contains(u'.') || QFile::exists(dataPath(u"real/hwx/"_s + text)))
                addRow(name, text);
        }
    }
};

KERNSCOPE_TEST(TestPieceMarks, QApplication)
#include "tst_piece_marks.moc"
