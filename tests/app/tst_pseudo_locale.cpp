// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/window_fixture.h"
#include "widgets/common/labels.h"
#include "widgets/common/panels.h"

namespace {

constexpr char16_t kBegin = u'\u2045', kEnd = u'\u2046';

/// Every text of the program, marked and longer by two fifths, as other languages are.
class LongerTexts final : public QTranslator
{
public:
    QString translate(const char *context, const char *source, const char *, int) const override
    {
        const QString text = QString::fromUtf8(source);
        if (text.isEmpty() || !QByteArray(context).startsWith("kernscope"))
            return {};
        // In words, as they are: one long one would not wrap.
        constexpr qsizetype kWord = 7;
        QString more;
        for (qsizetype i = 1; i <= text.size() * 2 / 5; ++i)
            more += i % kWord == 0 ? QLatin1Char(' ') : QLatin1Char('~');
        return QChar(kBegin) + text + more + QChar(kEnd);
    }
    bool isEmpty() const override { return false; }
};

/// Words that a language changes: all but names of formats, types and chips, how an edit is
/// written, and where a fact is documented.
bool isWord(const QString &text)
{
    static const QRegularExpression letters(u"[A-Za-z]{2,}"_s);
    if (text.contains(QChar(kBegin)) || !text.contains(letters))
        return false;
    static const QRegularExpression names(QStringLiteral(
        "^[&]?(H1[0-9][a-z]*( \\(.*)?|M[0-9]|A1[0-9]|u?int[0-9]+|b?fp?[0-9]+|Ctrl\\+.*|"
        "weight\\[.*|chapter [0-9].*)$"));
    return !text.contains(names);
}

} // namespace

/// In a language with longer words, and in one that is read from the right: nothing is cut off, and
/// every text goes through tr().
class TestPseudoLocale : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QVERIFY(QCoreApplication::installTranslator(&m_texts)); }

    void cleanupTestCase()
    {
        QCoreApplication::removeTranslator(&m_texts);
        QApplication::setLayoutDirection(Qt::LeftToRight);
    }

    /// Without a bundle there are no texts of files; the chips' own names are not the program's.
    void everyTextIsTranslated()
    {
        m_faults.clear();
        TestWindow window;
        QVERIFY(window.settle());
        for (const auto &entry : window->docks().entries()) {
            check(entry.dock->windowTitle(), entry.dock->id());
            if (entry.dock->id() == QLatin1String("help"))
                continue; // a page of the manual
            for (const QWidget *widget : entry.dock->findChildren<QWidget *>()) {
                // Qt's own buttons, of titles that the docks replace and of rows of tabs.
                if (!widget->inherits("QDockWidgetTitleButton") &&
                    !qobject_cast<const QTabBar *>(widget->parentWidget()))
                    checkWidget(*widget, entry.dock->id());
            }
        }
        for (const QAction *action : window->findChildren<QAction *>()) {
            // Qt's own menus of text fields have words of Qt.
            if (qobject_cast<const QLineEdit *>(action->parent()))
                continue;
            const auto *menu = qobject_cast<const QMenu *>(action->parent());
            if (menu && menu->title().contains(QLatin1String("Further Chips")))
                continue; // names
            check(action->text().section(QLatin1Char('\t'), 0, 0), u"action"_s);
            check(action->statusTip(), u"status tip"_s);
        }
        // A message of a test has little room.
        QVERIFY2(m_faults.isEmpty(), qPrintable(m_faults.mid(0, 16).join(QLatin1Char('\n'))));
    }

    void nothingIsCutOff_data() { addEach({"longer", "from the right"}); }

    void nothingIsCutOff()
    {
        const auto [how] = fetched<QString>();
        QApplication::setLayoutDirection(how == u"longer"_s ? Qt::LeftToRight : Qt::RightToLeft);
        QTemporaryDir folder;
        TestWindow window;
        window->resize(1400, 900);
        QVERIFY(QTest::qWaitForWindowExposed(&*window));
        QVERIFY(window.open(
            {writeSample(folder.path(), u"sparse"_s), writeSample(folder.path(), u"dense"_s)}));
        m_faults.clear();
        for (const app::Layout layout :
             {app::Layout::Inspect, app::Layout::Compare, app::Layout::Patch,
              app::Layout::Performance, app::Layout::Hardware}) {
            window->session().goToWeight(0);
            window->layouts().show(layout);
            QVERIFY(window.settle());
            for (const auto &entry : window->docks().entries()) {
                if (entry.dock->isHidden())
                    continue;
                entry.dock->raise();
                QVERIFY(window.settle());
                QCoreApplication::sendPostedEvents();
                for (const QWidget *widget : entry.dock->findChildren<QWidget *>()) {
                    if (widget->isVisible())
                        checkRoom(*widget, app::layoutId(layout) + u' ' + entry.dock->id());
                }
            }
        }
        QVERIFY2(m_faults.isEmpty(), qPrintable(m_faults.mid(0, 16).join(QLatin1Char('\n'))));
    }

private:
    void check(const QString &text, const QString &where)
    {
        const QString fault = where + u": "_s + text.left(60);
        if (isWord(text) && !m_faults.contains(fault))
            m_faults += fault;
    }

    void checkRoom(const QWidget &widget, const QString &where)
    {
        const auto lacks = [&](const QString &what, int width) {
            const QString fault = u"%1: %2 has %3 pixels"_s.arg(where, what.left(50)).arg(width);
            if (!m_faults.contains(fault))
                m_faults += fault;
        };
        // A little is scrolled to; more would be a dock for another language.
        if (const auto *area = qobject_cast<const ui::ShrinkArea *>(&widget);
            area && area->horizontalScrollBar()->maximum() > area->viewport()->width() / 8)
            lacks(u"all"_s, area->viewport()->width());
        const auto *label = qobject_cast<const QLabel *>(&widget);
        const auto *button = qobject_cast<const QAbstractButton *>(&widget);
        const bool plain = label && !label->wordWrap() &&
                           !qobject_cast<const ui::ElidedLabel *>(label) &&
                           label->sizePolicy().horizontalPolicy() != QSizePolicy::Ignored;
        if ((plain || (button && !button->text().isEmpty())) &&
            widget.width() + 1 < widget.sizeHint().width())
            lacks(label ? label->text() : button->text(), widget.width());
    }

    void checkWidget(const QWidget &widget, const QString &where)
    {
        const QString at =
            where + QLatin1Char(' ') + QString::fromLatin1(widget.metaObject()->className());
        check(widget.toolTip(), at + u" tip"_s);
        check(widget.accessibleName(), at + u" name"_s);
        const auto *label = qobject_cast<const QLabel *>(&widget);
        if (label != nullptr && !label->property("ofTables").toBool()) // facts have one language
            check(label->text(), at);
        if (const auto *button = qobject_cast<const QAbstractButton *>(&widget))
            check(button->text(), at);
        if (const auto *line = qobject_cast<const QLineEdit *>(&widget))
            check(line->placeholderText(), at + u" hint"_s);
        const QHeaderView *header = nullptr;
        if (const auto *table = qobject_cast<const QTableView *>(&widget))
            header = table->horizontalHeader();
        if (const auto *tree = qobject_cast<const QTreeView *>(&widget))
            header = tree->header();
        for (int column = 0; header && header->model() && column < header->count(); ++column) {
            for (const int role : {int(Qt::DisplayRole), int(Qt::ToolTipRole)})
                check(header->model()->headerData(column, Qt::Horizontal, role).toString(),
                      at + u" column"_s);
        }
    }

    LongerTexts m_texts;
    QStringList m_faults;
};

KERNSCOPE_TEST(TestPseudoLocale, QApplication)
#include "tst_pseudo_locale.moc"
