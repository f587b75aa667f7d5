// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/test_program.h"
#include "widgets/chips/chip_words.h"
#include "widgets/common/design.h"
#include "widgets/common/quiet_style.h"
#include "widgets/common/theme.h"
#include "widgets/program/program_view.h"

#include <QCheckBox>
#include <QImage>
#include <QRadioButton>
#include <QTest>

#include <algorithm>

using namespace kernscope::ui;

/// Text against its ground, in both themes: 4.5 and more (window.md, "Tokens").
class TestContrast : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void palette_data() { themes(); }
    void palette();
    void tokens_data() { themes(); }
    void tokens();
    void grounds_data() { themes(); }
    void grounds();
    void programText_data() { themes(); }
    void programText();
    void checkBoxes_data() { themes(); }
    void checkBoxes();

private:
    static void themes()
    {
        QTest::addColumn<bool>("dark");
        QTest::newRow("light") << false;
        QTest::newRow("dark") << true;
    }
    static void check(const QColor &ink, const QColor &ground, const QString &what)
    {
        QVERIFY2(theme::contrast(ink, ground) >= 4.5,
                 qPrintable(QStringLiteral("%1: %2 on %3, %4")
                                .arg(what, ink.name(), ground.name())
                                .arg(theme::contrast(ink, ground))));
    }
};

/// The edge of an empty box is seen: 3 and more against the window.
void TestContrast::checkBoxes()
{
    QFETCH(bool, dark);
    const QPalette palette = theme::palette(dark);
    QuietStyle style;
    QCheckBox box;
    QRadioButton radio;
    for (QAbstractButton *button : std::initializer_list<QAbstractButton *>{&box, &radio}) {
        button->setStyle(&style);
        button->setPalette(palette);
        button->resize(40, 40);
        const QImage picture = button->grab().toImage();
        double most = 1;
        for (int y = 0; y < picture.height(); ++y) {
            for (int x = 0; x < picture.width(); ++x)
                most = std::max(most, theme::contrast(picture.pixelColor(x, y),
                                                      palette.color(QPalette::Window)));
        }
        QVERIFY2(most >= 3, qPrintable(QString::number(most)));
    }
}

void TestContrast::palette()
{
    QFETCH(bool, dark);
    const QPalette palette = theme::palette(dark);
    using Role = QPalette::ColorRole;
    const std::initializer_list<std::pair<Role, Role>> pairs{
        {QPalette::Text, QPalette::Base},
        {QPalette::Text, QPalette::AlternateBase},
        {QPalette::WindowText, QPalette::Window},
        {QPalette::ButtonText, QPalette::Button},
        {QPalette::PlaceholderText, QPalette::Base},
        {QPalette::PlaceholderText, QPalette::AlternateBase},
        {QPalette::PlaceholderText, QPalette::Window},
        {QPalette::Link, QPalette::Base},
        {QPalette::Link, QPalette::Window},
        {QPalette::HighlightedText, QPalette::Highlight},
        {QPalette::ToolTipText, QPalette::ToolTipBase}};
    for (const auto group : {QPalette::Active, QPalette::Inactive}) {
        for (const auto &[ink, ground] : pairs)
            check(palette.color(group, ink), palette.color(group, ground),
                  QStringLiteral("roles %1 and %2").arg(ink).arg(ground));
    }
}

void TestContrast::tokens()
{
    QFETCH(bool, dark);
    for (int i = 0; i < int(Token::Count); ++i) {
        const auto token = static_cast<Token>(i);
        check(theme::textOn(token, dark), theme::color(token, dark), theme::tokenName(token));
    }
}

void TestContrast::grounds()
{
    QFETCH(bool, dark);
    const QPalette palette = theme::palette(dark);
    const QColor text = palette.color(QPalette::Text);
    check(text, design::chosenGround(palette), QStringLiteral("chosen row"));
    check(palette.color(QPalette::PlaceholderText), design::chosenGround(palette),
          QStringLiteral("faint text in a chosen row"));
    check(design::accent(palette), design::track(palette), QStringLiteral("chosen segment"));
    for (const Token token : {Token::OutStreams, Token::OutFolds, Token::OutDense,
                              Token::OutRefused, Token::MarkContested, Token::MarkAssumed})
        check(text, tokenTint(token, dark), theme::tokenName(token));
}

void TestContrast::programText()
{
    QFETCH(bool, dark);
    const QPalette palette = theme::palette(dark);
    using Kind = ProgramSpan::Kind;
    for (const Kind kind : {Kind::Plain, Kind::Keyword, Kind::Name, Kind::Value, Kind::Weight,
                            Kind::Literal, Kind::Faint}) {
        const QColor ink = ProgramRowDelegate::color(kind, palette);
        check(ink, palette.color(QPalette::Base), QString::number(int(kind)));
        check(ink, design::chosenGround(palette), QString::number(int(kind)));
    }
}

KERNSCOPE_TEST(TestContrast, QApplication)
#include "tst_contrast.moc"
