// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/test_program.h"

using namespace kernscope::test;

namespace {

/// Signs of the tables of marks that stand in the sources of the window and in its help: what is
/// no letter.
QMap<char32_t, QString> marksOf(const QString &folder)
{
    static const QRegularExpression escape(u"\\\\u([0-9A-Fa-f]{4})|\\\\U([0-9A-Fa-f]{8})"_s);
    QMap<char32_t, QString> marks;
    for (const QString &file : pathsBelow(folder, {u"*.cpp"_s, u"*.h"_s, u"*.md"_s})) {
        const QString text = textOf(file);
        for (auto found = escape.globalMatch(text); found.hasNext();) {
            const auto match = found.next();
            const QString digits = match.captured(1) + match.captured(2);
            marks.insert(static_cast<char32_t>(digits.toUInt(nullptr, 16)), file);
        }
        for (const char32_t sign : text.toUcs4()) {
            if (sign > 0x7F)
                marks.insert(sign, file);
        }
    }
    return marks;
}

bool isSeen(char32_t sign)
{
    const QChar::Category kind = QChar::category(sign);
    return QChar::isPrint(sign) && kind != QChar::Separator_Space &&
           kind != QChar::Other_PrivateUse && kind != QChar::Other_Surrogate;
}

} // namespace

/// A mark that no font has is an empty box. Those of the window and of its help are in the fonts
/// that packaging/packages.txt installs.
class TestMarks : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void marksAreInAFont()
    {
        std::vector<QRawFont> fonts;
        for (const char *family : {"DejaVu Sans", "DejaVu Sans Mono"}) {
            QFont font(QString::fromLatin1(family));
            font.setStyleStrategy(QFont::NoFontMerging);
            QCOMPARE(QFontInfo(font).family(), QString::fromLatin1(family));
            fonts.push_back(QRawFont::fromFont(font));
            QVERIFY(fonts.back().isValid());
        }
        QStringList missing;
        for (const char *folder : {"widgets", "app", "resources/help"}) {
            const auto marks = marksOf(sourcePath(QString::fromLatin1(folder)));
            QVERIFY(!marks.isEmpty());
            for (auto mark = marks.begin(); mark != marks.end(); ++mark) {
                const bool known =
                    std::any_of(fonts.begin(), fonts.end(), [&](const QRawFont &font) {
                        return font.supportsCharacter(mark.key());
                    });
                if (isSeen(mark.key()) && !known)
                    missing << u"U+%1 of %2"_s.arg(QString::number(uint(mark.key()), 16),
                                                   mark.value());
            }
        }
        QVERIFY2(missing.isEmpty(), qPrintable(missing.join(QLatin1Char('\n'))));
    }
};

KERNSCOPE_TEST(TestMarks, QApplication)
#include "tst_marks.moc"
