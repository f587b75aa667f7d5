// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/test_program.h"
#include "widgets/models/theme.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <cmath>

using namespace kernscope::ui;

namespace {

using Linear = std::array<double, 3>; ///< red, green, blue, 0 to 1, linear in light

double linearOf(double channel)
{
    return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

/// As people without one kind of cone see it. Matrices of Machado, Oliveira and Fernandes 2009,
/// severity 1, in linear light.
Linear seen(const QColor &color, int vision)
{
    static constexpr std::array<std::array<double, 9>, 4> kVisions{
        {{1, 0, 0, 0, 1, 0, 0, 0, 1},
         {0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116,
          1.051998},
         {0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940,
          0.968881},
         {1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367,
          0.303900}}};
    const Linear in{linearOf(color.redF()), linearOf(color.greenF()), linearOf(color.blueF())};
    const auto &m = kVisions[std::size_t(vision)];
    Linear out{};
    for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t column = 0; column < 3; ++column)
            out[row] += m[3 * row + column] * in[column];
        out[row] = std::clamp(out[row], 0.0, 1.0);
    }
    return out;
}

/// CIE L*, a*, b* of a colour of sRGB's white.
std::array<double, 3> labOf(const Linear &c)
{
    const auto f = [](double t) {
        return t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116;
    };
    const double x = f((0.4124 * c[0] + 0.3576 * c[1] + 0.1805 * c[2]) / 0.9505);
    const double y = f(0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2]);
    const double z = f((0.0193 * c[0] + 0.1192 * c[1] + 0.9505 * c[2]) / 1.0890);
    return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

double distance(const QColor &a, const QColor &b, int vision)
{
    const auto first = labOf(seen(a, vision)), second = labOf(seen(b, vision));
    double sum = 0;
    for (std::size_t i = 0; i < 3; ++i)
        sum += (first[i] - second[i]) * (first[i] - second[i]);
    return std::sqrt(sum);
}

constexpr int kSteps = 64;

} // namespace

/// Maps of colours say more and less for every kind of colour vision, and the tokens are those of
/// the design.
class TestColorMaps : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void visions_data();
    void sequentialGetsLighter_data() { visions_data(); }
    void sequentialGetsLighter();
    void signsAreToldApart_data() { visions_data(); }
    void signsAreToldApart();
    void tokensOfTheDesign_data();
    void tokensOfTheDesign();
};

void TestColorMaps::visions_data()
{
    QTest::addColumn<int>("vision");
    const std::array<const char *, 4> names{"usual", "protanopia", "deuteranopia", "tritanopia"};
    for (int i = 0; i < 4; ++i)
        QTest::newRow(names[std::size_t(i)]) << i;
}

void TestColorMaps::sequentialGetsLighter()
{
    QFETCH(int, vision);
    double before = -1;
    for (int step = 0; step <= kSteps; ++step) {
        const double now = labOf(seen(theme::sequential(double(step) / kSteps), vision))[0];
        QVERIFY2(now > before, qPrintable(QString::number(step)));
        before = now;
    }
}

/// Away from zero lightness goes one way; a value and its negative are never alike.
void TestColorMaps::signsAreToldApart()
{
    QFETCH(int, vision);
    constexpr double kClear = 15; ///< just noticeable is about 2.3
    for (const bool dark : {false, true}) {
        for (const double sign : {-1.0, 1.0}) {
            double before = dark ? -1 : 101;
            for (int step = 0; step <= kSteps; ++step) {
                const double value = sign * step / kSteps;
                const double now = labOf(seen(theme::diverging(value, dark), vision))[0];
                QVERIFY2(dark ? now > before : now < before,
                         qPrintable(QStringLiteral("%1 %2").arg(dark).arg(value)));
                before = now;
            }
        }
        for (const double size : {0.25, 0.5, 1.0})
            QVERIFY2(distance(theme::diverging(size, dark), theme::diverging(-size, dark), vision) >
                         kClear * std::min(1.0, size * 2),
                     qPrintable(QStringLiteral("%1 %2").arg(dark).arg(size)));
    }
}

void TestColorMaps::tokensOfTheDesign_data()
{
    QTest::addColumn<int>("token");
    QTest::addColumn<QString>("light");
    const auto row = [](Token token, const char *light) {
        QTest::newRow(qPrintable(theme::tokenName(token)))
            << int(token) << QString::fromLatin1(light);
    };
    row(Token::KindHeader, "#5b6b7b");
    row(Token::KindMetadata, "#8a94a0");
    row(Token::KindProgram, "#4c5fa8");
    row(Token::KindData, "#0072b2");
    row(Token::KindIndices, "#56b4e9");
    row(Token::KindCodebook, "#cc79a7");
    row(Token::KindMask, "#e69f00");
    row(Token::KindValues, "#009e73");
    row(Token::KindScale, "#b8860b");
    row(Token::KindPadding, "#e4e7ea");
    row(Token::KindUnknown, "#f3e9d8");
    row(Token::OutStreams, "#0072b2");
    row(Token::OutFolds, "#d55e00");
    row(Token::OutDense, "#8a94a0");
    row(Token::OutRefused, "#5b2a2a");
    row(Token::DiffLess, "#2166ac");
    row(Token::DiffMore, "#d6604d");
    row(Token::DiffEqual, "#f7f7f7");
    row(Token::MarkChanged, "#d55e00");
    row(Token::MarkContested, "#b8860b");
    row(Token::MarkAssumed, "#8a94a0");
}

void TestColorMaps::tokensOfTheDesign()
{
    QFETCH(int, token);
    QFETCH(QString, light);
    QCOMPARE(theme::color(static_cast<Token>(token), false).name(), light);
}

KERNSCOPE_TEST(TestColorMaps, QApplication)
#include "tst_color_maps.moc"
