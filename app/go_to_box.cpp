// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/go_to_box.h"

#include "app/palette_list.h"
#include "app/palette_registers.h"
#include "app/place_text.h"
#include "core/bundle/bundle.h"
#include "core/container/mil/packed_program.h"
#include "widgets/common/line_icon.h"
#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"

#include <QAction>
#include <QFocusEvent>
#include <QKeyEvent>

namespace kernscope::app {

namespace {

constexpr int kMostHits = 60;
constexpr int kRestMilliseconds = 10'000;
constexpr std::size_t kMostIndexedAtOnce = 5'000; ///< sections: about a millisecond
constexpr std::size_t kMostNames = 200'000;       ///< of sections and operations each

/// What the palette shows of operations, and where they are written. It takes a twentieth of the
/// memory of the program, which the palette does not keep.
struct OperationNames {
    std::string texts; ///< "conv encoder_0", one behind the other
    std::vector<std::size_t> ends;
    std::vector<SourceSpan> spans;
    std::vector<std::size_t> files; ///< of programs, by the operation; of one program one for all

    /// In the order of the program, unpacked one by one.
    void collect(const Bundle &bundle)
    {
        const auto packed = bundle.packedProgram();
        const mil::PackedProgram &program = *packed;
        const auto &functions = bundle.programOutline().functions;
        std::size_t function = 0;
        mil::PackedProgram::Reader reader(program);
        std::vector<std::size_t> inBlocks;
        for (std::size_t i = 0; i < program.operations() && spans.size() < kMostNames; ++i) {
            mil::Operation operation;
            reader.next(operation, inBlocks);
            while (function + 1 < functions.size() && i >= program.operationsOf(function).second)
                ++function;
            if (operation.type == "const")
                continue;
            if (!bundle.programFiles().empty())
                files.push_back(bundle.programFileOf(functions[function].model));
            texts += operation.type + ' ' + operation.displayName();
            ends.push_back(texts.size());
            spans.push_back(operation.span);
        }
        texts.shrink_to_fit();
        ends.shrink_to_fit();
        spans.shrink_to_fit();
        if (bundle.programFiles().empty())
            files = {bundle.programFile()};
    }
    QString name(std::size_t index) const
    {
        const std::size_t begin = index == 0 ? 0 : ends[index - 1];
        return QString::fromUtf8(texts.data() + begin, static_cast<qsizetype>(ends[index] - begin));
    }
};

} // namespace

GoToBox::GoToBox(ui::Session &session, QWidget *parent) : QLineEdit(parent), m_session(session)
{
    setObjectName(QStringLiteral("goToBox"));
    setPlaceholderText(tr("Search, go to weight[3,0,1], 0x1f40\u2026   Ctrl+K"));
    setAccessibleName(tr("Search, or go to a weight, a section or an offset"));
    setToolTip(tr("A weight, weight[i,j], section+0x40, file:0x1f40 or an offset; or a part of the "
                  "name of a weight, an action, an operation, a register, a section, a chip or "
                  "a help page (Ctrl+K, Ctrl+G)"));
    setAcceptDrops(false); // files are dropped on the window, not typed here
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    addAction(ui::lineIcon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    m_fault = addAction(ui::lineIcon(QStringLiteral("warning")), QLineEdit::TrailingPosition);
    m_fault->setVisible(false);

    connect(&session.tasks(), &ui::TaskManager::changed, this, [this] {
        if (!m_task || !m_task->progress().cancelled())
            return;
        m_task.reset(); // an edit, or Cancel: asked again with the next key
        m_indexed.reset();
    });
    connect(&session, &ui::Session::bundleChanged, this, [this] {
        m_stale = true;
        if (m_task)
            m_task->cancel();
        m_task.reset();
        m_index.clear(); // it holds on to the bundle
        m_indexed.reset();
        clear();
        showFault({});
        hideHits();
    });
    connect(this, &QLineEdit::textEdited, this, [this] {
        showFault({});
        search();
    });
    connect(this, &QLineEdit::returnPressed, this, &GoToBox::go);
    m_rest.setSingleShot(true);
    m_rest.setInterval(kRestMilliseconds);
    connect(&m_rest, &QTimer::timeout, this, &GoToBox::release);
}

QSize GoToBox::sizeHint() const
{
    return {ui::theme::em(this, 23), QLineEdit::sizeHint().height() + ui::theme::em(this, 0.3)};
}

PaletteList &GoToBox::hits()
{
    if (!m_hits) {
        m_hits = new PaletteList(window());
        connect(m_hits, &PaletteList::picked, this, &GoToBox::run);
    }
    return *m_hits;
}

PaletteIndex GoToBox::namesOf(const BundlePtr &bundle, ui::Session &session, QObject *origin)
{
    PaletteIndex index;
    PaletteIndex::Group weights, sections, operations;
    weights.kind = PaletteIndex::Kind::Weight;
    weights.count = bundle->weights().size();
    weights.name = [bundle](std::size_t i) {
        return QString::fromStdString(bundle->weights()[i].name);
    };
    weights.note = [bundle](std::size_t i) {
        return QString::fromStdString(formText(bundle->weights()[i].form));
    };
    weights.run = [&session, origin](std::size_t i) { session.goToWeight(i, origin); };
    sections.kind = PaletteIndex::Kind::Section;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < bundle->sections().size() && places.size() < kMostNames; ++i) {
        if (bundle->sections()[i].kind == SectionKind::Padding)
            continue;
        places.push_back(i);
    }
    sections.count = places.size();
    const auto shared = std::make_shared<const std::vector<std::size_t>>(std::move(places));
    sections.name = [bundle, shared](std::size_t i) {
        return QString::fromStdString(bundle->nameOf(bundle->sections()[(*shared)[i]]));
    };
    sections.run = [&session, origin, shared](std::size_t i) {
        session.goToSection((*shared)[i], origin);
    };
    operations.kind = PaletteIndex::Kind::Operation;
    const auto all = std::make_shared<OperationNames>();
    all->collect(*bundle);
    operations.count = all->spans.size();
    operations.name = [all](std::size_t i) { return all->name(i); };
    operations.run = [&session, origin, all](std::size_t i) {
        const SourceSpan &span = all->spans[i];
        const std::size_t file = all->files[all->files.size() == 1 ? 0 : i];
        if (file != kNoIndex && span.length > 0)
            session.goToBytes(file, {FileOffset(span.offset), ByteCount(span.length)}, origin);
    };
    index.add(std::move(weights));
    index.add(std::move(sections));
    index.add(std::move(operations));
    index.add(registersOf(bundle, session, origin));
    return index;
}

void GoToBox::dropNames()
{
    m_index.drop({PaletteIndex::Kind::Weight, PaletteIndex::Kind::Section,
                  PaletteIndex::Kind::Operation, PaletteIndex::Kind::Register});
}

void GoToBox::indexNames()
{
    const BundlePtr bundle = m_session.bundle();
    if (bundle == m_indexed)
        return;
    if (m_task)
        m_task->cancel();
    m_task.reset();
    dropNames();
    m_indexed = bundle;
    if (!bundle)
        return;
    if (bundle->sections().size() <= kMostIndexedAtOnce) {
        m_index.merge(namesOf(bundle, m_session, this));
        return;
    }
    m_task = m_session.tasks().start(
        this, tr("Indexing names"),
        [bundle, session = &m_session, origin = static_cast<QObject *>(this)](Progress &) {
            const BundleReadLock lock(*bundle);
            return namesOf(bundle, *session, origin);
        },
        [this](PaletteIndex index) {
            m_task.reset();
            m_index.merge(std::move(index));
            if (m_hits && m_hits->isVisible())
                search();
            else if (hasFocus() && !text().isEmpty())
                search();
        });
}

void GoToBox::search()
{
    indexNames();
    if (m_stale) {
        m_stale = false;
        m_index.drop(
            {PaletteIndex::Kind::Action, PaletteIndex::Kind::Chip, PaletteIndex::Kind::Help});
        if (m_source)
            m_source(m_index);
    }
    hits().showBelow(*this, m_index.find(text(), kMostHits));
}

void GoToBox::run(int row)
{
    if (!m_hits || row < 0 || row >= m_hits->hits().rowCount())
        return;
    const PaletteIndex::Item item = m_hits->hits().at(row);
    hideHits();
    showFault({});
    clear(); // what was asked for is done: the next question starts anew
    Q_EMIT left();
    item.run();
    if (item.kind == PaletteIndex::Kind::Register)
        Q_EMIT registerChosen();
}

void GoToBox::go()
{
    if (m_hits && m_hits->isVisible() && m_hits->chosen() >= 0) {
        run(m_hits->chosen());
        return;
    }
    QString why = tr("Open a bundle first.");
    if (m_session.bundle()) {
        const auto place = parsePlace(*m_session.bundle(), text(), m_session.place().file);
        if (place) {
            hideHits();
            showFault({});
            clear(); // the place does not stay here when one goes on
            m_session.goTo(*place, this);
            Q_EMIT left();
            return;
        }
        why = ui::fromUtf8(place.error().message);
        if (!place.error().found.empty())
            why += QStringLiteral(" (%1)").arg(ui::fromUtf8(place.error().found));
    }
    if (m_hits && m_hits->isVisible())
        run(0);
    else
        showFault(why);
}

void GoToBox::showFault(const QString &text)
{
    const bool before = m_fault->isVisible();
    m_fault->setVisible(!text.isEmpty());
    m_fault->setToolTip(text);
    setAccessibleDescription(text);
    if (before || !text.isEmpty()) // what no longer holds does not stay in the status line
        Q_EMIT m_session.statusMessage(text);
}

void GoToBox::hideHits()
{
    m_stale = true; // actions are enabled and disabled as one works
    if (m_hits)
        m_hits->hide();
    m_rest.start();
}

/// Some time after it was used: the names of a large bundle take as much memory as its tables, and
/// are read again before the next letter comes.
void GoToBox::release()
{
    if (hasFocus() || !m_indexed || m_task || m_indexed->sections().size() <= kMostIndexedAtOnce)
        return;
    dropNames();
    m_indexed.reset();
}

void GoToBox::focusInEvent(QFocusEvent *event)
{
    QLineEdit::focusInEvent(event);
    m_rest.stop();
    indexNames(); // before the first letter comes
}

void GoToBox::focusOutEvent(QFocusEvent *event)
{
    QLineEdit::focusOutEvent(event);
    if (event->reason() != Qt::PopupFocusReason)
        hideHits();
}

void GoToBox::keyPressEvent(QKeyEvent *event)
{
    switch (event->key()) {
    case Qt::Key_Escape:
        hideHits();
        clear();
        showFault({});
        Q_EMIT left();
        return;
    case Qt::Key_Down:
        if (!m_hits || !m_hits->isVisible())
            search();
        else
            m_hits->step(1);
        return;
    case Qt::Key_Up:
        if (m_hits)
            m_hits->step(-1);
        return;
    default: QLineEdit::keyPressEvent(event);
    }
}

} // namespace kernscope::app

#include "moc_go_to_box.cpp"
