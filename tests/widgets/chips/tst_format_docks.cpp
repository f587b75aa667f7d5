// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/sample_session.h"

#include "widgets/chips/chip_state.h"
#include "widgets/chips/formats_dock.h"
#include "widgets/common/controls.h"
#include "widgets/hardware/activation_dock.h"

#include <nlohmann/json.hpp>

using namespace kernscope::ui;
using format::ActivationTable;

namespace {

std::vector<std::byte> tanhRecord()
{
    const auto table =
        ActivationTable::sample([](double x) { return std::tanh(x); }, -4, 4, {0, -1, 0, 1});
    const auto bytes = table->write();
    return {bytes.begin(), bytes.end()};
}

/// A bundle whose only odd file holds a record among other bytes.
BundlePtr bundleWithRecord()
{
    std::vector<std::byte> file(64, std::byte{0});
    const auto record = tanhRecord();
    file.insert(file.end(), record.begin(), record.end());
    file.resize(4096, std::byte{0});
    const std::string_view program =
        "program(1.0)\n{\n    func main<ios16>(tensor<fp16, [1]> x) {\n"
        "        } -> (x);\n}";
    const auto text = std::as_bytes(std::span(program));
    return Bundle::open("made.mlmodelc", {.memory = {{"model.mil", {text.begin(), text.end()}},
                                                     {"tables.bin", file}}})
        .value_or(nullptr);
}

/// What is said of the selected format.
QString explained(const FormatsDock &dock)
{
    for (const QLabel *label : dock.findChildren<QLabel *>()) {
        if (label->accessibleName() == "Rules of the selected format"_L1)
            return label->text();
    }
    return {};
}

} // namespace

/// The docks of kernel formats and activation tables.
class TestFormatDocks : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void factsHaveTheirSources()
    {
        auto [session, dock] = Alone<FormatsDock>();
        const QAbstractItemModelTester tester(&dock.facts());
        QCOMPARE(dock.facts().rowCount(), 0);
        dock.tabs().setCurrentIndex(2);
        QVERIFY(dock.facts().rowCount() > 4000);
        dock.filter().setText(u"native_kernel_formats"_s);
        QCOMPARE(dock.facts().rowCount(), 1);
        const auto cell = [&](const char *key) {
            return dock.facts().index(0, dock.facts().columnOf(key)).data().toString();
        };
        QCOMPARE(cell("table"), u"code_sets"_s);
        QVERIFY(cell("fact").contains(u"mask=0x3b"_s));
        QCOMPARE(cell("confidence"), u"contested"_s);
    }

    void formatsModel()
    {
        using report::KernelFormatFacts;
        RowTable<KernelFormatFacts> model(report::kernelFormatTable);
        model.setRows(report::kernelFormatRows({}));
        const QAbstractItemModelTester tester(&model);
        QVERIFY(model.rowCount() >= 31);
        const auto legalityOf = [&](const char *name) {
            for (int row = 0; row < model.rowCount(); ++row) {
                if (model.rowAt(row).row->name == name)
                    return model.index(row, model.columnOf("legal")).data().toString();
            }
            return QString();
        };
        QVERIFY(legalityOf("p4f16").contains(u"legal"_s));
        QVERIFY(legalityOf("p6f16").contains(u"odd index width"_s));
        QVERIFY(legalityOf("e4m3").contains(u"refused"_s));
        format::FormatUse use;
        use.descriptorVersion = 20;
        model.setRows(report::kernelFormatRows(use));
        QVERIFY(legalityOf("p6f16").contains(u"legal"_s));
        QVERIFY(legalityOf("e4m3").contains(u"unknown"_s));
        use.e4m3Capability = true;
        use.vectorSize = 3;
        model.setRows(report::kernelFormatRows(use));
        QVERIFY(legalityOf("e4m3").contains(u"legal"_s));
        QVERIFY(legalityOf("p4f16").contains(u"vector size"_s));
        model.setFilter(u"palette e4m3"_s);
        QCOMPARE(model.rowCount(), 5);
        model.sort(model.columnOf("bit_depth"), Qt::DescendingOrder);
        QCOMPARE(model.rowAt(0).row->name, "p6e4m3");
        model.sort(model.columnOf("code"), Qt::AscendingOrder);
        QCOMPARE(model.rowAt(0).row->name, "p1e4m3");
        model.setFilter(u"no such words"_s);
        QCOMPARE(model.rowCount(), 0);
    }

    void formatsDock()
    {
        auto [session, dock] = Alone<FormatsDock>();
        QVERIFY(showDock(dock));
        QVERIFY(dock.showsContent()); // without a bundle
        QTest::keyClicks(&dock.filter(), u"p6f16"_s);
        QCOMPARE(dock.model().rowCount(), 1);
        dock.table().setCurrentIndex(dock.model().index(0, 0));
        QVERIFY(explained(dock).contains(u"after version 5"_s));
        dock.version().setValue(11);
        QVERIFY(!explained(dock).contains(u"\u2715"_s));
        QVERIFY(explained(dock).contains(u"assumed"_s));
        QVERIFY(!dock.table().accessibleName().isEmpty());
        dock.filter().setText(u"nothing of the kind"_s);
        QVERIFY(explained(dock).contains(u"Select"_s));
    }

    /// Each table of rules has rows, and those of the format word follow the descriptor version.
    void rulesOfFormats()
    {
        auto [session, dock] = Alone<FormatsDock>();
        QVERIFY(showDock(dock));
        dock.tabs().setCurrentIndex(3);
        const auto text = [&dock](int row, int column) {
            return dock.ruleTable().model()->index(row, column).data().toString();
        };
        QCOMPARE(dock.ruleTables().count(), 11);
        for (int i = 0; i < dock.ruleTables().count(); ++i) {
            dock.ruleTables().setCurrentIndex(i);
            const QAbstractItemModelTester tester(dock.ruleTable().model());
            QVERIFY(dock.ruleTable().model()->rowCount() > 0);
            QVERIFY(!text(0, 0).isEmpty());
        }
        dock.ruleTables().setCurrentIndex(0);
        QCOMPARE(text(0, 0), u"e4m3"_s);
        QCOMPARE(text(0, 5), u"448"_s);
        dock.ruleTables().setCurrentIndex(2); // the format word
        dock.filter().setText(u"InFmt"_s);
        QCOMPARE(dock.ruleTable().model()->rowCount(), 1);
        dock.version().setValue(20);
        QCOMPARE(dock.ruleTable().model()->rowCount(), 0);
    }

    /// The register groups of version 10 as a picture above their table, in either order.
    void groupsOfTheImageAreDrawn()
    {
        auto [session, dock] = Alone<FormatsDock>();
        QVERIFY(showDock(dock, 1400, 800));
        dock.tabs().setCurrentIndex(3);
        const auto bars = dock.findChildren<ShareBar *>();
        QCOMPARE(bars.size(), 2);
        QVERIFY(!bars.front()->isVisible());
        dock.ruleTables().setCurrentIndex(
            dock.ruleTables().findText(u"Register groups"_s, Qt::MatchStartsWith));
        QCOMPARE(dock.ruleTable().model()->rowCount(), 7);
        QVERIFY(settle(dock));
        const QStringList first[]{{u"G0"_s, u"G1"_s}, {u"G3"_s, u"G4"_s}};
        for (qsizetype i = 0; i < bars.size(); ++i) {
            QVERIFY(bars[i]->isVisible());
            const QString words = bars[i]->accessibleName();
            const qsizetype before = words.indexOf(first[i][0]),
                            behind = words.indexOf(first[i][1]);
            QVERIFY2(before >= 0 && behind > before, qPrintable(words));
            QVERIFY(words.contains(theme::glyph(Token::MarkContested) + " G3"_L1));
            // Blocks of several colours beside one another.
            const QImage image = bars[i]->grab().toImage();
            QSet<QRgb> colors;
            for (int x = 2; x < image.width(); x += 4)
                colors.insert(image.pixel(x, 1));
            QVERIFY2(colors.size() >= 7, qPrintable(QString::number(colors.size())));
        }
        dock.ruleTables().setCurrentIndex(0);
        QVERIFY(!bars.front()->isVisible());
    }

    /// The legality is that of the chip that the session has chosen.
    void formatsOfTheChosenChip()
    {
        auto [session, dock] = Alone<FormatsDock>();
        QVERIFY(showDock(dock));
        const auto legality = [&](const char *name) {
            dock.filter().setText(QString::fromLatin1(name));
            return dock.model().index(0, dock.model().columnOf("legal")).data().toString();
        };
        const auto choose = [&](const char *chip) {
            ChipState::of(session).setTarget(*target::findTarget(chip)->target);
        };
        choose("M1");
        QCOMPARE(dock.version().value(), 5);
        QVERIFY(legality("p6f16").contains(u"odd index width"_s));
        QVERIFY(legality("p4f16").contains(u"legal"_s));
        QVERIFY(legality("p4e4m3").contains(u"refused"_s));
        QVERIFY(legality("int16").contains(u"native format"_s));
        choose("H18");
        QVERIFY(legality("p6f16").contains(u"legal"_s));
        QVERIFY(legality("p4e4m3").contains(u"legal"_s));
        choose("H17s");
        QVERIFY(legality("p4e4m3").contains(u"E4M3 capability"_s));
    }

    void elementTypes()
    {
        auto [session, dock] = Alone<FormatsDock>();
        QVERIFY(showDock(dock));
        ChipState::of(session).setTarget(*target::findTarget("H18")->target);
        RowTableModel &types = dock.elementTypes();
        const QAbstractItemModelTester tester(&types);
        QCOMPARE(types.rowCount(), 8 + 23 + 11 + 17);
        const auto cell = [&types](const char *key) {
            return types.index(0, types.columnOf(key)).data().toString();
        };
        dock.filter().setText(u"tensor e4m3"_s);
        QCOMPARE(types.rowCount(), 1);
        QCOMPARE(cell("code"), u"12"_s);
        QCOMPARE(cell("dma_to_fp16"), u"no"_s);
        QCOMPARE(cell("dma_valid"), u"yes"_s);
        QCOMPARE(cell("capability_byte"), u"0x52d"_s);
        ChipState::of(session).setTarget(*target::findTarget("M1")->target);
        QCOMPARE(cell("dma_valid"), u"no"_s);
    }

    void activationModel()
    {
        ActivationModel model(report::activationTable);
        const QAbstractItemModelTester tester(&model);
        QCOMPARE(model.rowCount(), 0);
        const ActivationTable table = *ActivationTable::parse(tanhRecord());
        model.setRows(report::activationEntries(table));
        QCOMPARE(model.rowCount(), 43);
        const auto cell = [&model](int row, const char *key) {
            return model.index(row, model.columnOf(key)).data().toString();
        };
        QCOMPARE(cell(0, "value"), u"-4"_s);
        QVERIFY(cell(20, "name").contains(u"knot"_s) && cell(20, "name").contains(u"16"_s));
        QVERIFY(cell(37, "confidence").contains(u"contested"_s));
        // The fields of the command are the entries of the dock.
        std::size_t entries = 0;
        const auto json = report::activationJson("tanh", table, {});
        for (const auto &field : json["fields"]) {
            const int row = field["entry"].get<int>();
            if (field["count"] == 1)
                QCOMPARE(cell(row, "name").toStdString(), field["name"].get<std::string>());
            for (std::size_t i = 0; i < field["values"].size(); ++i)
                QCOMPARE(model.index(row + int(i), model.columnOf("value"))
                             .data(CopyRole)
                             .toString()
                             .toDouble(),
                         field["values"][i].get<double>());
            entries += field["values"].size();
        }
        QCOMPARE(entries, 43U);
        model.setRows({});
        QCOMPARE(model.rowCount(), 0);
    }

    void activationOfASelection()
    {
        auto [session, dock] = Alone<ActivationDock>();
        QVERIFY(showDock(dock));
        QVERIFY(!dock.showsContent());
        const BundlePtr bundle = VERIFIED(bundleWithRecord());
        session.setBundle(bundle);
        const auto file = VERIFIED(bundle->fileByPath("tables.bin"));
        session.goToBytes(*file, {FileOffset(64), ByteCount(86)});
        QVERIFY(settle(dock));
        QVERIFY(dock.showsContent());
        QCOMPARE(dock.plot().pointCount(), 33);
        QVERIFY(dock.plot().pointText(16).contains(u"knot 16"_s));
        // Bytes that are none: a sentence instead.
        session.goToBytes(*file, {FileOffset(1024), ByteCount(128)});
        QVERIFY(settle(dock));
        QVERIFY(!dock.showsContent());
        // A single byte is read where the person asks for it.
        session.goToBytes(*file, {FileOffset(64), ByteCount(1)});
        QVERIFY(!dock.showsContent());
        dock.readSelection();
        QVERIFY(dock.showsContent());
    }

    void activationOfAFile()
    {
        auto [session, dock] = Alone<ActivationDock>();
        QVERIFY(showDock(dock));
        const QTemporaryDir folder;
        const QString path = folder.filePath(u"table.bin"_s);
        const auto record = tanhRecord();
        QVERIFY(put(path, record));
        QCOMPARE(dock.openFile(path), QString());
        QVERIFY(dock.showsContent());
        QVERIFY(dock.table() &&
                dock.table()->entries() == ActivationTable::parse(record)->entries());
        // It stays when a bundle comes and its place moves.
        session.setBundle(openSample("palette"));
        session.goToWeight(0);
        QVERIFY(settle(dock));
        QVERIFY(dock.showsContent());
        QVERIFY(QFile::resize(path, 20));
        QVERIFY(!dock.openFile(path).isEmpty());
        QVERIFY(!dock.openFile(folder.filePath(u"none"_s)).isEmpty());
    }

    /// The curve is drawn where it belongs: right of the middle the upper half has its colour.
    void picture()
    {
        ActivationPlot plot;
        plot.setTable(*ActivationTable::parse(tanhRecord()), format::ActivationArithmetic::Exact,
                      format::ActivationTail::Clamp);
        QVERIFY(expose(plot, {600, 400}));
        const QImage image = plot.grab().toImage();
        const auto inked = [&](const QRect &area) {
            int count = 0;
            for (int y = area.top(); y <= area.bottom(); ++y)
                for (int x = area.left(); x <= area.right(); ++x)
                    count += image.pixelColor(x, y).saturation() > 100 ? 1 : 0;
            return count;
        };
        const int w = image.width();
        const int h = image.height();
        QVERIFY(inked({w * 6 / 10, h / 20, w / 4, h / 4}) > 50); // +1 on the right
        QVERIFY(inked({w / 5, h * 6 / 10, w / 4, h / 4}) > 50);  // -1 on the left
        QVERIFY(inked({w * 7 / 10, h / 2, w / 5, h / 5}) < 10);  // nothing below the curve
    }
};

KERNSCOPE_TEST(TestFormatDocks, QApplication)
#include "tst_format_docks.moc"
