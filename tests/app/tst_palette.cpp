// SPDX-License-Identifier: GPL-3.0-or-later
// The search box over a bundle of many names: what is found, and that the names come by a task.
#include "app/go_to_box.h"
#include "made_bundle.h"
#include "tests/test_program.h"

using app::GoToBox;
using app::PaletteIndex;

namespace {

BundlePtr manySections(int weights)
{
    MadeBundle made;
    for (int i = 0; i < weights; ++i)
        made.weight("weight_" + std::to_string(i), "[4]", Bytes(8));
    return made.open().value_or(nullptr);
}

PaletteIndex::Group group(PaletteIndex::Kind kind, const QStringList &names)
{
    PaletteIndex::Group made;
    made.kind = kind;
    made.names = names;
    made.run = [](std::size_t) {};
    return made;
}

QStringList found(const PaletteIndex &index, const QString &typed)
{
    QStringList texts;
    for (const PaletteIndex::Item &item : index.find(typed, 9))
        texts += item.text;
    return texts;
}

} // namespace

class TestPalette : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// A letter that thousands of names have: the hits are the first of all of them in their order.
    void bestOfManyAreListed()
    {
        QStringList names;
        for (int i = 0; i < 20000; ++i) // the shortest ones last
            names += u"w"_s + QString::number(99999 - 5 * i);
        PaletteIndex index;
        index.add(group(PaletteIndex::Kind::Weight, names));
        const auto all = index.find(u"w"_s, 100000);
        QCOMPARE(all.size(), names.size());
        const auto few = index.find(u"w"_s, 60);
        QCOMPARE(few.size(), 60);
        for (qsizetype i = 0; i < few.size(); ++i)
            QCOMPARE(few[i].text, all[i].text);
        QCOMPARE(few.front().text.size(), 2);
    }

    /// Those that begin with the first word, then those with a word that does; every word in any
    /// case, in any script.
    void wordsInOrder()
    {
        PaletteIndex index;
        index.add(group(PaletteIndex::Kind::Weight,
                        {u"reconv"_s, u"a conv"_s, u"Conv 12"_s, u"\u00C4conv"_s,
                         u"\u00E4/CONV \U00010428x"_s, u"con"_s, u"v"_s}));
        const auto texts = [&index](const QString &words) { return found(index, words); };
        QCOMPARE(texts(u"conv"_s),
                 (QStringList{u"Conv 12"_s, u"a conv"_s, u"\u00E4/CONV \U00010428x"_s,
                              u"\u00C4conv"_s, u"reconv"_s}));
        QCOMPARE(texts(u"CONV 2"_s), QStringList{u"Conv 12"_s});
        QCOMPARE(texts(u"\u00E4"_s), (QStringList{u"\u00C4conv"_s, u"\u00E4/CONV \U00010428x"_s}));
        QVERIFY(texts(u"nv v"_s).contains(u"reconv"_s));
        QVERIFY(texts(u"con v"_s).size() == 5); // not across the end of a name
        QVERIFY(texts(u"  "_s).isEmpty());
    }

    void namesThatOthersKeep()
    {
        PaletteIndex index;
        std::size_t gone = 99;
        PaletteIndex::Group named = group(PaletteIndex::Kind::Section, {});
        named.count = 3;
        named.name = [](std::size_t i) { return u"Name %1"_s.arg(i); };
        named.run = [&gone](std::size_t i) { gone = i; };
        index.add(std::move(named));
        const auto found = index.find(u"name 2"_s, 9);
        QCOMPARE(found.size(), 1);
        QCOMPARE(found.front().text, u"Name 2"_s);
        found.front().run();
        QCOMPARE(gone, std::size_t(2));
    }

    void kindsAreDropped()
    {
        PaletteIndex index, other;
        index.add(group(PaletteIndex::Kind::Action, {u"open"_s}));
        other.add(group(PaletteIndex::Kind::Weight, {u"opening"_s}));
        index.merge(std::move(other));
        QCOMPARE(index.find(u"open"_s, 9).size(), 2);
        index.drop({PaletteIndex::Kind::Action, PaletteIndex::Kind::Help});
        const auto left = index.find(u"open"_s, 9);
        QCOMPARE(left.size(), 1);
        QCOMPARE(left.front().kind, PaletteIndex::Kind::Weight);
    }

    /// conv_2 is found by "conv2" and "conv 2", behind what is written as it was typed.
    void separatorsNeedNotBeTyped()
    {
        PaletteIndex index;
        index.add(group(PaletteIndex::Kind::Weight,
                        {u"conv_2"_s, u"other"_s, u"my_conv2"_s, u"Conv.2.bias"_s}));
        const auto textsOf = [&index](const char *typed) {
            return found(index, QString::fromLatin1(typed));
        };
        QCOMPARE(textsOf("conv2"), (QStringList{u"my_conv2"_s, u"conv_2"_s, u"Conv.2.bias"_s}));
        QCOMPARE(textsOf("bias conv2"), QStringList{u"Conv.2.bias"_s});
        QCOMPARE(textsOf("conv_2").front(), u"conv_2"_s);
        QVERIFY(textsOf("conv3").isEmpty());
        QVERIFY(textsOf("_").size() == 2); // a separator alone stands for itself
    }

    void namesOfManyWeightsCome()
    {
        ui::Session session;
        QWidget window;
        window.resize(600, 400);
        GoToBox box(session, &window);
        window.show();
        session.setBundle(manySections(6000));
        QVERIFY(session.bundle());
        QTest::keyClicks(&box, u"weight_5999"_s);
        QVERIFY(box.indexing()); // typing does not wait for the names
        QTRY_VERIFY(!box.indexing());
        // The task asks again only where the box has the focus or shows hits; the next key does
        // too.
        QTest::keyClick(&box, Qt::Key_Backspace);
        QVERIFY(!box.indexing());
        QVERIFY(box.hits().hits().rowCount() > 0);
        QCOMPARE(box.hits().hits().at(0).text, u"weight_599"_s);
        QTest::keyClick(&box, Qt::Key_Down);
        QTest::keyClick(&box, Qt::Key_Return);
        QCOMPARE(session.place().weight, std::size_t{599});
        // Cancelled: the next key asks for the names anew.
        session.setBundle(manySections(6001));
        QTest::keyClicks(&box, u"weight_6000"_s);
        session.tasks().cancelAll();
        Q_EMIT session.tasks().changed();
        QVERIFY(!box.indexing());
        QTest::keyClick(&box, Qt::Key_Backspace);
        QVERIFY(box.indexing());
        QTRY_VERIFY(!box.indexing());
        QTest::keyClick(&box, Qt::Key_Backspace);
        QCOMPARE(box.hits().hits().at(0).text, u"weight_60"_s);
    }

    /// Some time after it was used it holds no names of a large bundle, and reads them again when
    /// it is used. Those of a small one are kept.
    void namesAreGivenBack()
    {
        ui::Session session;
        QWidget window;
        GoToBox box(session, &window);
        QLineEdit other(&window);
        window.show();
        window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        box.setRestDelay(0);
        session.setBundle(manySections(6000));
        other.setFocus();
        box.setFocus();
        QTRY_VERIFY(box.holdsNames() && !box.indexing());
        QCoreApplication::processEvents();
        QVERIFY(box.holdsNames()); // while it may be typed in
        other.setFocus();
        QTRY_VERIFY(!box.holdsNames());
        box.setFocus();
        QTRY_VERIFY(box.holdsNames() && !box.indexing());
        QTest::keyClicks(&box, u"weight_5999"_s);
        QCOMPARE(box.hits().hits().at(0).text, u"weight_5999"_s);
        session.setBundle(manySections(3));
        box.setFocus();
        QTest::keyClicks(&box, u"weight_1"_s);
        QVERIFY(box.holdsNames());
        other.setFocus();
        QCoreApplication::processEvents();
        QVERIFY(box.holdsNames());
    }
};

KERNSCOPE_TEST(TestPalette, QApplication)
#include "tst_palette.moc"
