// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/texts.h"
#include "tests/app/window_fixture.h"
#include "tests/core/bundle/second_function.h"
#include "window_fixture.h"

using app::Layout;
using kernscope::app::parsePlace;

// Names of a file that look like markup are shown as they stand, in every workspace.

namespace {

/// Says the values in another order; a name may look like a place for one.
class ReversedTranslator : public QTranslator
{
public:
    QString translate(const char *context, const char *source, const char *, int) const override
    {
        if (qstrcmp(context, "kernscope::PlaceText") != 0)
            return {};
        return qstrcmp(source, "Index {0} of axis {1} is past its end, {2}.") == 0
                   ? u"{2}: {1}, {0}"_s
                   : u"<%1>"_s.arg(QLatin1String(source));
    }
    bool isEmpty() const override { return false; }
};

const QString kName = u"<h1>w</h1>"_s;

/// One tensor of that name, of 2 x 4 fp16 values.
QString writeCheckpoint(const QString &path)
{
    const QByteArray header =
        "{\"" + kName.toUtf8() + "\":{\"dtype\":\"F16\",\"shape\":[2,4],\"data_offsets\":[0,16]}}";
    return put(path, safetensors(header, QByteArray(16, '\x3c'))) ? path : QString();
}

/// Every label of every workspace, with the first weight chosen; `check` may fail the test.
void forEachLabel(TestWindow &window, QObject *origin,
                  const std::function<void(const QLabel &)> &check)
{
    for (const Layout layout :
         {Layout::Inspect, Layout::Compare, Layout::Patch, Layout::Performance, Layout::Hardware}) {
        window->showLayout(layout);
        window->session().goToWeight(0, origin);
        QVERIFY(window.settle());
        for (const QLabel *label : window->findChildren<QLabel *>()) {
            check(*label);
            if (QTest::currentTestFailed())
                return;
        }
    }
}

/// Middle of what the label paints, from 0 at the left to 1 at the right.
double middleOfInk(const QString &text, Qt::Alignment alignment, bool selectable, bool turn)
{
    QWidget window;
    window.setLayoutDirection(turn ? Qt::LeftToRight : Qt::RightToLeft);
    auto *label = new QLabel(text, &window);
    label->setAlignment(alignment);
    if (selectable)
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    label->resize(400, 40);
    window.resize(400, 40);
    window.show();
    if (turn)
        window.setLayoutDirection(Qt::RightToLeft);
    const QImage image = label->grab().toImage();
    const QRgb ground = image.pixel(image.width() / 2, 1);
    int first = image.width(), last = 0;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            if (image.pixel(x, y) != ground) {
                first = std::min(first, x);
                last = std::max(last, x);
            }
        }
    }
    return (first + last) / 2.0 / image.width();
}

} // namespace

class TestPlaceText : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        const sample::SampleBundle palette = sample::bundles().back();
        m_bundle = *VERIFIED(Bundle::open(palette.name, {.memory = palette.files}));
        m_weight = weightWith(*m_bundle, codec::PartRole::Lut);
        QVERIFY(m_weight != kNoIndex);
        QVERIFY(m_bundle->weights()[m_weight].shape.size() > 1);
    }

    void numbers_data()
    {
        addColumns<QString, quint64>();
        addRow("hex", "0x40", quint64{0x40});
        addRow("upper hex", "0X4a", quint64{0x4a});
        addRow("decimal", "64", quint64{64});
        addRow("spaces", "  0x0  ", quint64{0});
    }

    void numbers()
    {
        const auto [text, offset] = fetched<QString, quint64>();
        const auto place = VERIFIED(parsePlace(*m_bundle, text, 0));
        QCOMPARE(place->file, std::size_t{0});
        QVERIFY(place->bytes);
        QCOMPARE(place->bytes->offset.value, offset);
    }

    void names()
    {
        const std::string &name = m_bundle->weights()[m_weight].name;
        const auto exact = VERIFIED(parsePlace(*m_bundle, QString::fromStdString(name), 0));
        QCOMPARE(exact->weight, m_weight);
        QVERIFY(!exact->element);

        std::size_t named = 0;
        while (m_bundle->nameOf(m_bundle->sections()[named]).empty())
            ++named;
        const auto section = VERIFIED(parsePlace(
            *m_bundle, QString::fromStdString(m_bundle->nameOf(m_bundle->sections()[named])), 0));
        QCOMPARE(section->section, named);
    }

    void elements()
    {
        const Weight &weight = m_bundle->weights()[m_weight];
        const QString name = QString::fromStdString(weight.name);
        QStringList last;
        for (const std::uint64_t extent : weight.shape)
            last << QString::number(extent - 1);
        const auto many =
            VERIFIED(parsePlace(*m_bundle, u"%1[%2]"_s.arg(name, last.join(QLatin1Char(','))), 0));
        QCOMPARE(many->element.value(), weight.elements.value - 1);
        const auto flat = VERIFIED(parsePlace(*m_bundle, name + u"[5]"_s, 0));
        QCOMPARE(flat->element.value(), std::uint64_t{5});
    }

    void offsets()
    {
        const Weight &weight = m_bundle->weights()[m_weight];
        const OperandList &operands = weight.operands();
        const auto stored =
            std::find_if(operands.begin(), operands.end(),
                         [](const codec::Operand &operand) { return !operand.place->isLiteral(); });
        QVERIFY(stored != operands.end());
        const OperandPlace &part = *stored->place;
        const auto inWeight =
            VERIFIED(parsePlace(*m_bundle, QString::fromStdString(weight.name) + u"+0x2"_s, 0));
        QCOMPARE(inWeight->file, part.file);
        QCOMPARE(inWeight->bytes->offset.value, part.dataOffset.value + 2);

        const QString file = QString::fromStdString(m_bundle->files()[part.file].path);
        const auto inFile = VERIFIED(parsePlace(*m_bundle, file + u":0x10"_s, kNoIndex));
        QCOMPARE(inFile->file, part.file);
        QCOMPARE(inFile->bytes->offset.value, std::uint64_t{0x10});
    }

    void refuses_data()
    {
        addColumns<QString, QString>();
        const QString name = QString::fromStdString(m_bundle->weights()[m_weight].name);
        addRow("empty", QString(), "goto.syntax");
        addRow("unknown", "no such thing", "goto.name");
        addRow("several", "_weight", "goto.ambiguous");
        addRow("past the file", "0xffffffffffff", "goto.range");
        addRow("past the axis", name + u"[999999999,0,0,0]"_s, "goto.range");
        addRow("past the elements", name + u"[18446744073709551615]"_s, "goto.range");
        addRow("too few axes", name + u"[0,0]"_s, "goto.range");
        addRow("no index", name + u"[a]"_s, "goto.syntax");
        addRow("negative", name + u"[-1]"_s, "goto.syntax");
        addRow("empty index", name + u"[]"_s, "goto.syntax");
        addRow("past the part", name + u"+0xffffffff"_s, "goto.range");
        addRow("number too large", "0x1ffffffffffffffff", "goto.name");
    }

    void refuses()
    {
        const auto [text, code] = fetched<QString, QString>();
        const Error place = REFUSED(parsePlace(*m_bundle, text, 0));
        QCOMPARE(QString::fromStdString(place.code), code);
        QVERIFY(!place.message.empty());
    }

    void saysWhyInTheWindowsLanguage()
    {
        ReversedTranslator reversed;
        QVERIFY(QCoreApplication::installTranslator(&reversed));
        const auto messageOf = [this](const QString &text) {
            const auto place = parsePlace(*m_bundle, text, 0);
            return place ? QString() : QString::fromStdString(place.error().message);
        };
        const Weight &weight = m_bundle->weights()[m_weight];
        QStringList index{u"999999999"_s};
        while (std::size_t(index.size()) < weight.shape.size())
            index << u"0"_s;
        QCOMPARE(messageOf(QString::fromStdString(weight.name) + u'[' + index.join(u',') + u']'),
                 u"%1: 0, 999999999"_s.arg(weight.shape[0]));
        QCOMPARE(messageOf(u"{0} {1}"_s), u"<No weight or section has this name: {0} {1}>"_s);
        QCoreApplication::removeTranslator(&reversed);
        QCOMPARE(messageOf(QString()), u"Type a weight, a section or an offset."_s);
    }

    void everyElementReturns()
    {
        const Weight &weight = m_bundle->weights()[m_weight];
        for (std::uint64_t element = 0; element < weight.elements.value; element += 7) {
            ui::Place place;
            place.weight = m_weight;
            place.element = element;
            const auto back = VERIFIED(parsePlace(*m_bundle, app::placeText(*m_bundle, place), 0));
            QCOMPARE(back->weight, m_weight);
            QCOMPARE(back->element.value(), element);
        }
    }

    /// Two functions with weights of the same names: the text of a place leads to the very weight.
    void sharedNamesReturn()
    {
        for (const sample::SampleBundle &made : sample::bundles()) {
            OpenOptions options;
            options.memory = made.files;
            test::addSecondFunction(options.memory);
            const auto opened = VERIFIED(Bundle::open(made.name, options));
            const Bundle &bundle = **opened;
            bool shared = false;
            for (std::size_t i = 0; i < bundle.weights().size(); ++i) {
                shared |= bundle.weights()[i].sharesName;
                ui::Place place;
                place.weight = i;
                place.element = bundle.weights()[i].elements.value - 1;
                const QString text = app::placeText(bundle, place);
                const auto again = parsePlace(bundle, text, 0);
                QVERIFY2(again, qPrintable(text));
                QCOMPARE(again->weight, i);
                QVERIFY(again->element == place.element);
            }
            QVERIFY(shared);
        }
    }

    /// A weight that was selected is told by its name, not by the bytes that the session adds:
    /// those hold something else once the file is exported again. Bytes that were selected stay
    /// bytes.
    void weightsAreNamed()
    {
        ui::Session session;
        session.setBundle(m_bundle);
        for (std::size_t i = 0; i < m_bundle->weights().size(); ++i) {
            session.goToWeight(i);
            QCOMPARE(app::placeText(*m_bundle, session.place()),
                     QString::fromStdString(m_bundle->weights()[i].findableName()));
        }
        session.goToWeight(m_weight);
        const ui::Place whole = session.place();
        QVERIFY(whole.bytes);
        const QString file = QString::fromStdString(m_bundle->files()[whole.file].path);
        const auto offset = [](FileOffset at) { return QString::number(at.value, 16); };
        // One byte of it, and the section of another part.
        session.goToBytes(whole.file, {whole.bytes->offset, ByteCount(1)});
        QCOMPARE(app::placeText(*m_bundle, session.place()),
                 u"%1:0x%2"_s.arg(file, offset(whole.bytes->offset)));
        bool other = false;
        for (std::size_t i = 0; i < m_bundle->sections().size(); ++i) {
            const Section &section = m_bundle->sections()[i];
            if (section.weight != m_weight || section.range == *whole.bytes)
                continue;
            other = true;
            session.goToSection(i);
            QVERIFY(app::placeText(*m_bundle, session.place())
                        .endsWith(u":0x"_s + offset(section.range.offset)));
        }
        QVERIFY(other);
    }

    void namesAreNoMarkup()
    {
        const QTemporaryDir folder;
        const QString a = writeCheckpoint(folder.filePath(u"a.safetensors"_s));
        const QString b = writeCheckpoint(folder.filePath(u"b.safetensors"_s));
        QVERIFY(!a.isEmpty() && !b.isEmpty());
        TestWindow window;
        QVERIFY(window.open({a, b}));
        int named = 0;
        forEachLabel(window, this, [&named](const QLabel &label) {
            if (!label.isVisible())
                return;
            QVERIFY(label.textFormat() != Qt::AutoText);
            const bool holds = label.text().contains(kName);
            named += holds ? 1 : 0;
            QVERIFY2(!holds || label.textFormat() == Qt::PlainText, qPrintable(label.text()));
        });
        if (QTest::currentTestFailed())
            return;
        QVERIFY(named >= 3);
    }

    void toolTipsAndMessagesAreNoMarkup()
    {
        TestWindow window;
        QMessageBox box(QMessageBox::Question, u"Question"_s, kName, QMessageBox::Ok, &*window);
        box.open();
        const auto *text = VERIFIED(box.findChild<QLabel *>(u"qt_msgbox_label"_s));
        QTRY_COMPARE(text->textFormat(), Qt::PlainText);
        box.close();
        QToolTip::showText(window->mapToGlobal(QPoint(50, 50)), kName, &*window);
        const auto tip = []() -> QLabel * {
            for (QWidget *widget : QApplication::topLevelWidgets()) {
                if (widget->inherits("QTipLabel"))
                    return qobject_cast<QLabel *>(widget);
            }
            return nullptr;
        };
        QTRY_VERIFY(tip());
        QTRY_COMPARE(tip()->textFormat(), Qt::PlainText);
        QCOMPARE(tip()->text(), kName);
        QToolTip::hideText();
    }

    /// Labels that have markup say so: none of ours is shown with its signs.
    void markupOfOurOwnIsShown()
    {
        const QTemporaryDir folder;
        TestWindow window;
        QVERIFY(window.open(
            {writeSample(folder.path(), u"dense"_s), writeSample(folder.path(), u"palette"_s)}));
        int rich = 0;
        forEachLabel(window, this, [&rich](const QLabel &label) {
            const bool markup = Qt::mightBeRichText(label.text());
            rich += markup && label.isVisible() ? 1 : 0;
            QVERIFY2(!markup || label.textFormat() == Qt::RichText, qPrintable(label.text()));
        });
        if (QTest::currentTestFailed())
            return;
        QVERIFY(rich >= 5);
    }

    void labelsBeginWhereTheWindowDoes_data()
    {
        addColumns<QString, int>();
        for (const char *text : {"conv_0_weight", "\u05D0\u05D1\u05D2\u05D3"}) {
            for (const Qt::Alignment alignment : {Qt::AlignLeft, Qt::AlignRight, Qt::AlignHCenter})
                QTest::addRow("%s, %d", text, int(alignment))
                    << QString::fromUtf8(text) << int(alignment | Qt::AlignVCenter);
        }
    }

    /// In a window that is read from the right, from its start or since it was turned.
    void labelsBeginWhereTheWindowDoes()
    {
        const auto [text, alignment] = fetched<QString, int>();
        TestWindow window; // it looks after the labels of the application
        for (const bool turn : {false, true}) {
            for (const bool selectable : {false, true}) {
                const double middle = middleOfInk(text, Qt::Alignment(alignment), selectable, turn);
                const int side = middle > 0.6 ? 1 : middle < 0.4 ? -1 : 0;
                QCOMPARE(side, alignment & Qt::AlignLeft ? 1 : alignment & Qt::AlignRight ? -1 : 0);
            }
        }
    }

private:
    BundlePtr m_bundle;
    std::size_t m_weight = 0; ///< one with a blob and several axes
};

KERNSCOPE_TEST(TestPlaceText, QApplication)
#include "tst_place_text.moc"
