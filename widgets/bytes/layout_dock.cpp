// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/bytes/layout_dock.h"

#include "core/base/overlaid_file.h"
#include "widgets/bytes/section_strip.h"
#include "widgets/common/controls.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/export_jobs.h"
#include "widgets/common/labels.h"
#include "widgets/common/qt.h"
#include "widgets/common/table_tools.h"

namespace kernscope::ui {

namespace {

/// Kinds of a file's sections in the order of the enumeration.
std::vector<SectionKind> kindsOf(const Bundle &bundle, std::size_t file)
{
    constexpr std::size_t kKinds = static_cast<std::size_t>(SectionKind::Unknown) + 1;
    std::array<bool, kKinds> seen{};
    const auto [first, last] = bundle.sectionsOf(file);
    for (std::size_t i = first; i < last; ++i)
        seen[static_cast<std::size_t>(bundle.sections()[i].kind)] = true;
    std::vector<SectionKind> kinds;
    for (std::size_t i = 0; i < kKinds; ++i) {
        if (seen[i])
            kinds.push_back(static_cast<SectionKind>(i));
    }
    return kinds;
}

/// "1,544,961.13"
QString groupedFraction(double value)
{
    const auto hundredths = static_cast<std::uint64_t>(value * 100 + 0.5);
    return u"%1.%2"_s.arg(groupedNumber(hundredths / 100))
        .arg(hundredths % 100, 2, 10, QLatin1Char('0'));
}

} // namespace

LayoutDock::LayoutDock(Session &session, QWidget *parent)
    : Dock(session, u"layout"_s, tr("Sections"), parent), m_model(new SectionModel(this))
{
    auto *content = new QWidget(this);
    const int gap = theme::em(this, 0.25);
    QVBoxLayout *column = contentColumn(content);

    m_strip = new SectionStrip(content);
    m_table = new QTableView(content);
    buildHeader(content);
    buildActions();
    buildTable();
    m_legend = new KindLegend(content);
    m_zoomBar = createZoomBar(content);
    auto *below = new QHBoxLayout;
    below->setSpacing(gap);
    laidOut(below, {{m_legend, 1}, {m_zoomBar, 0, Qt::AlignTop}});
    laidOut(column, {m_strip, below, {m_table, 1}});
    m_table->setMinimumHeight(theme::em(this, 2)); // in a low dock the strip keeps its height
    setContent(content, m_strip);
    content->installEventFilter(this);

    connect(m_strip, &SectionStrip::picked, this, &LayoutDock::pick);
    connect(m_strip, &SectionStrip::activated, this, &LayoutDock::open);
    connect(m_strip, &SectionStrip::viewChanged, this, &LayoutDock::updateZoom);
}

void LayoutDock::buildActions()
{
    auto *find = findAction(this, tr("Filter Sections"), m_filter);
    auto *copy = copyAction(this, tr("Copy Rows"), m_table);
    auto *hex = dockAction(this, tr("Show in Hex"), {}, [this] { open(m_strip->current()); });
    auto *save =
        exportAction(this, session(), tr("Export Table of Sections…"), *m_model, "sections");
    buildByteActions();
    const auto zoom = [this](const QString &text, const QKeySequence &keys,
                             void (SectionStrip::*slot)()) {
        return dockAction(this, text, keys, [this, slot] { (m_strip->*slot)(); });
    };
    m_zoomIn = zoom(tr("Zoom In"), QKeySequence::ZoomIn, &SectionStrip::zoomIn);
    m_zoomOut = zoom(tr("Zoom Out"), QKeySequence::ZoomOut, &SectionStrip::zoomOut);
    m_fit = zoom(tr("Fit File"), QKeySequence(Qt::CTRL | Qt::Key_0), &SectionStrip::fit);
    m_oneToOne = zoom(tr("One Byte a Pixel (100 %)"), {}, &SectionStrip::oneToOne);
    m_actions = QList<QAction *>{find, copy, hex} + m_byteActions +
                QList<QAction *>{save, m_zoomIn, m_zoomOut, m_fit, m_oneToOne};
}

/// What can be done with the bytes of the current section.
void LayoutDock::buildByteActions()
{
    const auto copyAs = [this](const QString &text, CopyFormat format) {
        m_byteActions += dockAction(this, text, {}, [this, format] { copyBytes(format); });
    };
    copyAs(tr("Copy Section as Hex"), CopyFormat::Hex);
    copyAs(tr("Copy Section as C Array"), CopyFormat::CArray);
    copyAs(tr("Copy Section as Python Bytes"), CopyFormat::PythonBytes);
    copyAs(tr("Copy Section as NumPy"), CopyFormat::NumPy);
    m_byteActions += dockAction(this, tr("Export Section Bytes…"), {}, [this] {
        const BundlePtr &bundle = m_model->bundle();
        const std::size_t section = m_strip->current();
        if (bundle && section < bundle->sections().size())
            askAndExportBytes(this, session(), bundle, bundle->sections()[section].file,
                              bundle->sections()[section].range);
    });
}

void LayoutDock::copyBytes(CopyFormat format)
{
    const BundlePtr &bundle = m_model->bundle();
    if (!bundle || m_strip->current() >= bundle->sections().size())
        return;
    const Section &section = bundle->sections()[m_strip->current()];
    if (section.range.bytes.value > kMostBytesAsText) {
        Q_EMIT session().statusMessage(tr("Too much to copy as text: export the bytes."));
        return;
    }
    const auto bytes = bundle->files()[section.file].file->bytes().subspan(
        section.range.offset.value, section.range.bytes.value);
    const ElementType type = fieldAt(*bundle, section.file, section.range.offset).type;
    QGuiApplication::clipboard()->setText(bytesAsText(bytes, format, type));
}

/// The file and the filter, beside the dock's title.
void LayoutDock::buildHeader(QWidget *content)
{
    auto *header = new QWidget(content);
    m_files = narrowChooser(header, tr("File shown as a strip"), 7);
    m_files->setToolTip(tr("File shown as a strip"));
    m_files->setMinimumWidth(theme::em(this, 5));
    connect(m_files, &QComboBox::activated, this,
            [this](int file) { showFile(static_cast<std::size_t>(file)); });
    m_filter = filterBox(header, tr("Filter by section, kind, file or weight"), m_table);
    m_filter->setMinimumWidth(theme::em(this, 5.5));
    const int gap = theme::em(this, 0.25);
    auto *bar = new QHBoxLayout(header);
    bar->setContentsMargins(gap, 0, gap, 0);
    bar->setSpacing(gap);
    laidOut(bar, {{m_files, 1}, {m_filter, 1}});
    setHeader(header);
}

/// How much of the file the strip shows, and buttons to change it.
QWidget *LayoutDock::createZoomBar(QWidget *parent)
{
    auto *box = new QWidget(parent);
    auto *bar = withoutMargins(new QHBoxLayout(box), theme::em(this, 0.25));
    m_zoom = named(new QLabel(box), tr("Zoom"));
    m_zoom->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_zoom->setMinimumWidth(
        m_zoom->fontMetrics().horizontalAdvance(tr("%1 B per pixel").arg(u"88,888,888.88")));
    bar->addWidget(m_zoom);
    const auto button = [box, bar](QAction *action, const QString &text) {
        auto *tool = new QToolButton(box);
        tool->setAutoRaise(true);
        tool->setText(text);
        tool->setToolTip(action->toolTip());
        tool->setAccessibleName(action->text());
        connect(tool, &QToolButton::clicked, action, &QAction::trigger);
        bar->addWidget(tool);
    };
    button(m_zoomOut, u"\u2212"_s);
    button(m_zoomIn, u"+"_s);
    button(m_fit, tr("Fit"));
    button(m_oneToOne, tr("100 %"));
    return box;
}

bool LayoutDock::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::Resize && watched == m_strip->parentWidget())
        arrange();
    return Dock::eventFilter(watched, event);
}

/// In a low dock the strip is a minimap, and the table has the room: it names the kinds as well.
void LayoutDock::arrange()
{
    constexpr double kTableEms = 13, kStripEms = 8; // of a strip with its ruler and legend
    const bool low = m_strip->parentWidget()->height() < theme::em(this, kTableEms + kStripEms);
    if (m_strip->bare() == low)
        return;
    m_strip->fit();
    m_strip->setBare(low);
    m_legend->setVisible(!low);
    m_zoomBar->setVisible(!low);
    updateZoom();
}

void LayoutDock::buildTable()
{
    m_table->setAccessibleName(tr("Sections of every file"));
    m_table->setModel(m_model);
    prepareTable(m_table);
    putMarksBehind(m_table, m_model->columnOf("name"));
    sayWhenEmpty(m_table, tr("No section fits the filter."));
    setColumnWidths(m_table->horizontalHeader(), {18, 6.5, 6.5, 6, 16, 12});
    growColumns(m_table, {m_model->columnOf("name"), m_model->columnOf("owner")});
    m_table->addActions(m_actions);
    m_strip->addActions(m_actions);
    m_strip->setContextMenuPolicy(Qt::ActionsContextMenu);
    connect(m_filter, &QLineEdit::textChanged, this, [this](const QString &words) {
        m_following = true;
        m_model->setFilter(words);
        m_following = false;
        showSection(place().section);
    });
    connect(m_table->selectionModel(), &QItemSelectionModel::currentChanged, this,
            [this](const QModelIndex &index) {
                if (!m_following && index.isValid())
                    pick(m_model->sectionAt(index.row()));
            });
    connect(m_table, &QTableView::activated, this,
            [this](const QModelIndex &index) { open(m_model->sectionAt(index.row())); });
}

void LayoutDock::refresh()
{
    const BundlePtr bundle = session().bundle();
    const bool another =
        !m_model->bundle() || !bundle || m_model->bundle()->path() != bundle->path();
    m_following = true;
    m_model->setBundle(bundle);
    m_following = false;
    if (another)
        m_table->scrollToTop();
    if (!bundle) {
        m_strip->setFile(nullptr, kNoIndex);
        showMessage(tr("Open a bundle to see how its files are laid out (Ctrl+O)."));
        return;
    }
    fillFiles();
    std::size_t file = m_strip->file();
    if (another || file >= bundle->files().size()) {
        // The file with most sections is the one that people look for.
        file = 0;
        std::size_t most = 0;
        for (std::size_t i = 0; i < bundle->files().size(); ++i) {
            const auto [first, last] = bundle->sectionsOf(i);
            if (last - first > most) {
                most = last - first;
                file = i;
            }
        }
    }
    showFile(file);
    showContent();
    followPlace();
}

void LayoutDock::fillFiles()
{
    m_files->clear();
    for (const BundleFile &file : m_model->bundle()->files()) {
        m_files->addItem(fromUtf8(file.path));
        m_files->setItemData(m_files->count() - 1, fromUtf8(file.path), Qt::ToolTipRole);
    }
}

void LayoutDock::showFile(std::size_t file)
{
    const BundlePtr &bundle = m_model->bundle();
    m_strip->setFile(bundle, file);
    m_files->setCurrentIndex(file < bundle->files().size() ? static_cast<int>(file) : -1);
    if (file < bundle->files().size())
        m_legend->setKinds(kindsOf(*bundle, file), bundle->files()[file].file->modified());
    updateZoom();
}

void LayoutDock::showSection(std::size_t section)
{
    const BundlePtr &bundle = m_model->bundle();
    if (!bundle || section >= bundle->sections().size())
        return;
    if (m_strip->file() != bundle->sections()[section].file)
        showFile(bundle->sections()[section].file);
    if (m_strip->current() != section)
        m_strip->setCurrent(section);
    const int row = m_model->rowOf(section);
    if (row < 0 || row == m_table->currentIndex().row())
        return;
    const QScopedValueRollback guard(m_following, true);
    revealRow(m_table, m_model->index(row, 0));
}

void LayoutDock::follow(const Place &place, QObject *origin)
{
    const BundlePtr &bundle = m_model->bundle();
    if (!bundle || origin == this)
        return;
    if (place.section < bundle->sections().size())
        showSection(place.section);
    else if (place.file < bundle->files().size() && m_strip->file() != place.file)
        showFile(place.file);
}

void LayoutDock::pick(std::size_t section)
{
    if (section == kNoIndex)
        return;
    showSection(section);
    session().goToSection(section, this);
}

void LayoutDock::open(std::size_t section)
{
    if (section == kNoIndex)
        return;
    pick(section);
    raiseHex();
}

void LayoutDock::updateZoom()
{
    const StripScale &scale = m_strip->scale();
    m_zoom->setText(scale.bytesPerPixel() >= 0.995
                        ? tr("%1 B per pixel").arg(groupedFraction(scale.bytesPerPixel()))
                        : tr("%1 pixels per B").arg(1 / scale.bytesPerPixel(), 0, 'f', 2));
    // A minimap shows the whole file.
    for (QAction *action : {m_zoomOut, m_fit})
        action->setEnabled(!scale.fitted() && !m_strip->bare());
    for (QAction *action : {m_zoomIn, m_oneToOne})
        action->setEnabled(!m_strip->bare());
}

} // namespace kernscope::ui

#include "moc_layout_dock.cpp"
