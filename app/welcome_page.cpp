// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/welcome_page.h"

#include "app/texts.h"
#include "widgets/common/labels.h"
#include "widgets/common/qt.h"
#include "widgets/models/theme.h"

namespace kernscope::app {

namespace {

QLabel *heading(const QString &text, double size, QWidget *parent)
{
    auto *label = new QLabel(text, parent);
    QFont font = label->font();
    font.setBold(true);
    font.setPointSizeF(font.pointSizeF() * size);
    label->setFont(font);
    return label;
}

QLabel *paragraph(const QString &text, QWidget *parent)
{
    auto *label = new QLabel(text, parent);
    label->setWordWrap(true);
    label->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    return label;
}

QPushButton *welcomeButton(const QString &text, QWidget *parent)
{
    auto *button = new QPushButton(text, parent);
    button->setFlat(true);
    button->setCursor(Qt::PointingHandCursor);
    // The colour of the palette in force, whatever it was when the button was made.
    button->setStyleSheet(u"color: palette(link); text-align: left; padding: 0.2em 0;"_s);
    return button;
}

} // namespace

WelcomePage::WelcomePage(QWidget *parent) : QWidget(parent)
{
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    setAccessibleName(tr("Welcome"));
    auto *scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    auto *outer = ui::withoutMargins(new QVBoxLayout(this));
    outer->addWidget(scroll);

    auto *page = new QWidget(scroll);
    page->setBackgroundRole(QPalette::Base);
    page->setAutoFillBackground(true);
    auto *centre = new QGridLayout(page);
    auto *column = new QWidget(page);
    column->setMaximumWidth(ui::theme::em(this, 56));
    auto *rows = new QVBoxLayout(column);
    rows->setSpacing(ui::theme::em(this, 0.8));
    rows->addWidget(heading(tr("Kernscope"), 2.4, column));
    rows->addWidget(paragraph(tr("What the compiler made of your weights: every byte of it, in any "
                                 "form, compared and patched."),
                              column));
    rows->addSpacing(ui::theme::em(this, 1));
    rows->addWidget(buildOpening());
    rows->addSpacing(ui::theme::em(this, 1.5));
    rows->addWidget(buildUses());
    centre->setRowStretch(0, 1);
    centre->addWidget(column, 1, 1);
    centre->setRowStretch(2, 2);
    centre->setColumnStretch(0, 1);
    centre->setColumnStretch(1, 8);
    centre->setColumnStretch(2, 1);
    scroll->setWidget(page);
}

QWidget *WelcomePage::buildOpening()
{
    auto *box = new QWidget(this);
    auto *columns = ui::withoutMargins(new QGridLayout(box));
    columns->setHorizontalSpacing(ui::theme::em(this, 2));
    columns->addWidget(heading(tr("Open"), 1.2, box), 0, 0);
    columns->addWidget(heading(tr("Recent"), 1.2, box), 0, 1);
    auto *buttons = new QVBoxLayout;
    const auto add = [&](const QString &text, const QString &what, auto signal) {
        auto *button = new QCommandLinkButton(text, what, box);
        button->setIcon(ui::lineIcon(u"forward"_s)); // not the style's own picture
        connect(button, &QCommandLinkButton::clicked, this, signal);
        buttons->addWidget(button);
    };
    add(tr("Bundle folder"), tr(".mlmodelc, .mlpackage or .aimodel (Ctrl+O)"),
        &WelcomePage::openFolderClicked);
    add(tr("File"), tr("weight.bin, model.mil or .mlmodel (Ctrl+Alt+O)"),
        &WelcomePage::openFileClicked);
    add(tr("Sample"), tr("A small network, dense, sparse and palettized"),
        &WelcomePage::sampleClicked);
    buttons->addStretch();
    columns->addLayout(buttons, 1, 0);
    auto *recent = new QWidget(box);
    m_recent = ui::withoutMargins(new QVBoxLayout(recent), 0);
    columns->addWidget(recent, 1, 1, Qt::AlignTop);
    columns->setColumnStretch(0, 1);
    columns->setColumnStretch(1, 1);
    setRecent({});
    return box;
}

QWidget *WelcomePage::buildUses()
{
    auto *box = new QWidget(this);
    auto *grid = ui::withoutMargins(new QGridLayout(box));
    grid->setHorizontalSpacing(ui::theme::em(this, 2));
    const std::array<std::pair<QString, QString>, 3> uses{{
        {tr("Inspect"),
         tr("Open one bundle. Pick a weight: see its values, mask, codebook, and the "
            "bytes that hold them.")},
        {tr("Compare"), tr("Drop two bundles. See what pruning, palettizing or quantizing changed, "
                           "weight by weight, in values and in bytes.")},
        {tr("Patch"), tr("Enable patching, change a value, an entry or a mask bit. Saving writes "
                         "those bytes and no others.")},
    }};
    for (int i = 0; i < static_cast<int>(uses.size()); ++i) {
        const auto &[title, text] = uses[static_cast<std::size_t>(i)];
        grid->addWidget(heading(title, 1.2, box), 0, i);
        grid->addWidget(paragraph(text, box), 1, i);
        grid->setColumnStretch(i, 1);
    }
    return box;
}

void WelcomePage::setRecent(const QList<Settings::Recent> &entries)
{
    while (QLayoutItem *item = m_recent->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    if (entries.isEmpty()) {
        auto *none = paragraph(tr("Nothing yet. Drop one bundle here, or two to compare them."),
                               m_recent->parentWidget());
        none->setForegroundRole(QPalette::PlaceholderText);
        m_recent->addWidget(none);
        return;
    }
    for (const Settings::Recent &entry : entries) {
        auto *button = welcomeButton(recentText(entry), m_recent->parentWidget());
        button->setToolTip(entry.other.isEmpty() ? entry.path
                                                 : entry.path + QLatin1Char('\n') + entry.other);
        connect(button, &QPushButton::clicked, this,
                [this, entry] { Q_EMIT recentClicked(entry); });
        m_recent->addWidget(button);
    }
}

} // namespace kernscope::app

#include "moc_welcome_page.cpp"
