// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/go_to_box.h"

#include "app/bookmarks_dock.h"
#include "app/dock_set.h"
#include "app/texts.h"
#include "core/bundle/bundle.h"
#include "core/form/form_steps.h"
#include "widgets/common/design.h"
#include "widgets/common/qt.h"
#include "widgets/hardware/hardware_facts.h"
#include "widgets/models/table_text.h"
#include "widgets/models/theme.h"

namespace kernscope::app {

/// The registers that the tasks of a hardware container write, and their fields: "Common ConvCfg",
/// "Common ConvCfg Ox". Each goes to its place in the task of the common position, or in the first
/// task that writes it. Reads every task once; empty where the bundle is no hardware container.
PaletteIndex::Group registersOf(const BundlePtr &bundle, ui::Session &session, QObject *origin);

namespace {

/// A register, or one of its fields. Points into the embedded tables.
struct Found {
    const descriptor::Register *reg = nullptr; ///< null: none is named at that address
    const descriptor::BitField *field = nullptr;
    std::uint32_t address = 0; ///< in bytes; in the header of a task the offset in it
    bool inHeader = false;
    std::uint64_t place = 0; ///< of the word in the file, in the first task that has it

    QString name() const
    {
        if (reg == nullptr)
            return ui::Words::tr("register %1").arg(ui::hexNumber(address));
        QString words = ui::fromUtf8(reg->name);
        if (!inHeader) // whose words are called Header[2]
            words.prepend(ui::fromUtf8(reg->block) + QLatin1Char(' '));
        return field ? words + QLatin1Char(' ') + ui::fromUtf8(field->name) : words;
    }
    ui::Place at(std::uint64_t word) const
    {
        ui::Place at;
        at.file = 0;
        at.bytes = field ? ui::bytesOfField(word, *field)
                         : ByteRange{FileOffset(word), ByteCount(sizeof(std::uint32_t))};
        if (field)
            at.bits = ui::bitsOfField(*field);
        return at;
    }
};

/// Registers in the order in which tasks first write them.
class Collector
{
public:
    void addText(ui::TaskSource &source)
    {
        if (!source.reader)
            return;
        const auto &tasks = *source.text->tasks;
        const auto *map = descriptor::RegisterMap::of(tasks.version->registerMap);
        descriptor::TaskDetail detail;
        for (std::size_t i = 0; i < tasks.tasks.size(); ++i) {
            source.reader->read(i, detail);
            const std::uint64_t start = source.section->bytes->offset.value + detail.task.offset;
            for (std::uint32_t word = 0; word < detail.header.size(); ++word)
                if (const auto *reg = map ? map->header(word) : nullptr)
                    add(reg, 4 * word, true, start + 4 * word);
            for (const descriptor::RegisterWrite &write : detail.stream.writes)
                add(map ? map->find(write.address) : nullptr, write.address, false,
                    start + write.offset);
        }
    }
    std::vector<Found> take() { return std::move(m_found); }

private:
    void add(const descriptor::Register *reg, std::uint32_t address, bool inHeader,
             std::uint64_t place)
    {
        if (!m_seen.emplace(inHeader, address).second)
            return;
        m_found.push_back({reg, nullptr, address, inHeader, place});
        if (reg == nullptr)
            return;
        for (const descriptor::BitField &field : reg->fields)
            m_found.push_back({reg, &field, address, inHeader, place});
    }

    std::set<std::pair<bool, std::uint32_t>> m_seen;
    std::vector<Found> m_found;
};

/// The word of a register in the task that holds `offset`; nothing where that task has none.
std::optional<std::uint64_t> inTaskAt(const Bundle &bundle, FileOffset offset, const Found &found)
{
    for (std::size_t text = 0; text < bundle.hardware()->texts.size(); ++text) {
        ui::TaskSource source = ui::taskSource(bundle, text);
        if (!source.reader || !source.section->bytes->contains(offset))
            continue;
        const std::uint64_t begin = source.section->bytes->offset.value;
        const auto &tasks = source.text->tasks->tasks;
        const auto task = std::find_if(tasks.begin(), tasks.end(), [&](const auto &one) {
            return offset.value >= begin + one.offset &&
                   offset.value < begin + one.offset + one.bytes();
        });
        if (task == tasks.end())
            return std::nullopt;
        descriptor::TaskDetail detail;
        source.reader->read(static_cast<std::size_t>(task - tasks.begin()), detail);
        const std::uint64_t start = begin + task->offset;
        if (found.inHeader)
            return found.address / 4 < detail.header.size() ? std::optional(start + found.address)
                                                            : std::nullopt;
        const descriptor::RegisterWrite *write = detail.written(found.address);
        return write ? std::optional(start + write->offset) : std::nullopt;
    }
    return std::nullopt;
}

ui::Place placeOf(const Bundle &bundle, const ui::Place &now, const Found &found)
{
    std::uint64_t word = found.place;
    if (now.bytes) {
        const BundleReadLock lock(bundle);
        word = inTaskAt(bundle, now.bytes->offset, found).value_or(word);
    }
    return found.at(word);
}

constexpr int kMostHits = 60;
constexpr int kRestMilliseconds = 10'000;
constexpr std::size_t kMostIndexedAtOnce = 5'000; ///< sections: about a millisecond
constexpr std::size_t kMostNames = 200'000;       ///< of sections and operations each

/// An operation and the function that holds it.
using PlacedOperation = std::pair<const mil::Operation *, const mil::Function *>;

/// The operations of a block that are no constants, in the order of the program.
void collectOperations(const mil::Block &block, const mil::Function &function,
                       std::vector<PlacedOperation> &all)
{
    for (const mil::Operation &operation : block.operations) {
        if (all.size() == kMostNames)
            return;
        if (operation.type != "const")
            all.emplace_back(&operation, &function);
        for (const mil::Block &inner : operation.blocks)
            collectOperations(inner, function, all);
    }
}

} // namespace

PaletteIndex::Group registersOf(const BundlePtr &bundle, ui::Session &session, QObject *origin)
{
    PaletteIndex::Group group;
    group.kind = PaletteIndex::Kind::Register;
    if (!bundle->hardware())
        return group;
    Collector collector;
    for (std::size_t text = 0; text < bundle->hardware()->texts.size(); ++text) {
        ui::TaskSource source = ui::taskSource(*bundle, text);
        collector.addText(source);
    }
    const auto found = std::make_shared<const std::vector<Found>>(collector.take());
    for (const Found &one : *found)
        group.names += one.name();
    group.note = [found](std::size_t i) { return ui::hexNumber((*found)[i].address); };
    group.run = [found, bundle, &session, origin](std::size_t i) {
        session.goTo(placeOf(*bundle, session.place(), (*found)[i]), origin);
    };
    return group;
}

GoToBox::GoToBox(ui::Session &session, QWidget *parent) : QLineEdit(parent), m_session(session)
{
    setObjectName(u"goToBox"_s);
    setPlaceholderText(tr("Search, go to weight[3,0,1], 0x1f40\u2026   Ctrl+K"));
    setAccessibleName(tr("Search, or go to a weight, a section or an offset"));
    setToolTip(tr("A weight, weight[i,j], section+0x40, file:0x1f40 or an offset; or a part of the "
                  "name of a weight, an action, an operation, a register, a section, a chip or "
                  "a help page (Ctrl+K, Ctrl+G)"));
    setAcceptDrops(false); // files are dropped on the window, not typed here
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    addAction(ui::lineIcon(u"search"_s), QLineEdit::LeadingPosition);
    m_fault = addAction(ui::lineIcon(u"warning"_s), QLineEdit::TrailingPosition);
    m_fault->setVisible(false);

    m_task.whenCancelled([this] { m_indexed.reset(); });
    connect(&session, &ui::Session::bundleChanged, this, [this] {
        m_stale = true;
        m_task.stop();
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
        return QString::fromStdString(formWords(bundle->weights()[i].form));
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
    const auto all = std::make_shared<std::vector<PlacedOperation>>();
    for (const mil::Function &function : bundle->program()->functions)
        collectOperations(function.body, function, *all);
    operations.count = all->size();
    operations.name = [bundle, all](std::size_t i) {
        const mil::Operation &operation = *(*all)[i].first;
        return QString::fromStdString(operation.type + ' ' + operation.displayName());
    };
    operations.run = [&session, origin, bundle, all](std::size_t i) {
        const auto &[operation, function] = (*all)[i];
        const SourceSpan span = operation->span;
        const std::size_t file = bundle->programFileOf(function->model);
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
    if (bundle == m_indexed && !m_task.cancelled())
        return;
    m_task.stop();
    dropNames();
    m_indexed = bundle;
    if (!bundle)
        return;
    if (bundle->sections().size() <= kMostIndexedAtOnce) {
        m_index.merge(namesOf(bundle, m_session, this));
        return;
    }
    m_task.start(
        tr("Indexing names"),
        [bundle, session = &m_session, origin = static_cast<QObject *>(this)](Progress &) {
            const BundleReadLock lock(*bundle);
            return namesOf(bundle, *session, origin);
        },
        [this](PaletteIndex index) {
            m_index.merge(std::move(index));
            if (m_hits && m_hits->isVisible())
                search();
            else if (hasFocus() && !text().isEmpty())
                search();
        });
}

namespace {

QString whyNot(const Error &fault)
{
    const QString found = ui::fromUtf8(fault.found);
    return ui::fromUtf8(fault.message) + (found.isEmpty() ? QString() : u" (%1)"_s.arg(found));
}

} // namespace

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
    QList<PaletteIndex::Item> items = m_index.find(text(), kMostHits);
    const QString typed = text().trimmed();
    if (items.isEmpty() && !typed.isEmpty() && m_session.bundle()) {
        const auto place = parsePlace(*m_session.bundle(), typed, m_session.place().file);
        if (!place)
            items += {PaletteIndex::Kind::Help, tr("Nothing fits \u201C%1\u201D").arg(typed),
                      place.error().code == "goto.name"
                          ? tr("a name, an action, or a place such as 0x1f40")
                          : whyNot(place.error()),
                      nullptr};
    }
    hits().showBelow(*this, std::move(items));
}

void GoToBox::run(int row)
{
    if (!m_hits || row < 0 || row >= m_hits->hits().rowCount())
        return;
    const PaletteIndex::Item item = m_hits->hits().at(row);
    hideHits();
    if (!item.run) {
        showFault(item.text + u": "_s + item.note);
        return;
    }
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
        why = whyNot(place.error());
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
    if (hasFocus() || !m_indexed || m_task.running() ||
        m_indexed->sections().size() <= kMostIndexedAtOnce)
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

namespace {

constexpr int kMostVisited = 20; ///< places each way

/// As a shell takes it for one word.
QString shellWord(QString text)
{
    static const QRegularExpression plain(u"^[A-Za-z0-9_./:@%+,=-]+$"_s);
    if (plain.match(text).hasMatch())
        return text;
    text.replace(QLatin1Char('\''), u"'\\''"_s);
    return QLatin1Char('\'') + text + QLatin1Char('\'');
}

} // namespace

void GoMenu::fill(QMenu *menu)
{
    m_back =
        m_actions->add(menu, tr("&Back"), Qt::ALT | Qt::Key_Left, [this] { m_session.goBack(); });
    m_back->setIcon(ui::lineIcon(u"back"_s));
    m_back->setToolTip(tr("Back to the place before (Alt+Left)"));
    m_forward = m_actions->add(menu, tr("&Forward"), Qt::ALT | Qt::Key_Right,
                               [this] { m_session.goForward(); });
    m_forward->setIcon(ui::lineIcon(u"forward"_s));
    m_forward->setToolTip(tr("Forward again (Alt+Right)"));
    QMenu *visited = menu->addMenu(tr("&Visited Places"));
    connect(visited, &QMenu::aboutToShow, this, [this, visited] { fillVisited(visited); });
    m_actions->need(visited->menuAction(), Needs::Bundle);
    const auto search = [this] { Q_EMIT searchAsked(); };
    QAction *find = m_actions->add(menu, tr("&Search\u2026"), Qt::CTRL | Qt::Key_K, search);
    find->setIcon(ui::lineIcon(u"search"_s));
    m_actions->add(menu, tr("&Go To\u2026"), Qt::CTRL | Qt::Key_G, Needs::Bundle, search);
    m_actions->add(menu, tr("Copy &Link to This Place"), Qt::CTRL | Qt::SHIFT | Qt::Key_L,
                   Needs::Bundle, [this] { copyLink(); });
    menu->addSeparator();
    m_actions->add(menu, tr("Add Book&mark"), Qt::CTRL | Qt::Key_D, Needs::Bundle, [this] {
        Q_EMIT docksAsked();
        DockSet::reveal(m_docks->bookmarks());
        m_docks->bookmarks()->addHere();
    });
    m_actions->add(menu, tr("Next Bookmar&k"), Qt::ALT | Qt::Key_PageDown, Needs::Bundle,
                   [this] { m_docks->bookmarks()->step(1); });
    m_actions->add(menu, tr("Previous B&ookmark"), Qt::ALT | Qt::Key_PageUp, Needs::Bundle,
                   [this] { m_docks->bookmarks()->step(-1); });
    menu->addSeparator();
    m_actions->add(menu, tr("&Next Weight"), Qt::ALT | Qt::Key_Down, Needs::Bundle,
                   [this] { stepWeight(1); });
    m_actions->add(menu, tr("&Previous Weight"), Qt::ALT | Qt::Key_Up, Needs::Bundle,
                   [this] { stepWeight(-1); });
}

QAction *GoMenu::addVisited(QMenu *menu, std::size_t at)
{
    QString text = placeText(*m_session.bundle(), m_session.history()[at]);
    text = text.isEmpty() ? tr("Overview") : text.replace(QLatin1Char('&'), "&&"_L1);
    return m_actions->add(menu, text, {}, [this, at] { m_session.goToHistory(at); });
}

/// The places before or after the current one, the nearest first.
void GoMenu::fillHistory(QMenu *menu, bool back)
{
    menu->clear();
    const auto &history = m_session.history();
    std::size_t at = m_session.historyAt();
    for (int i = 0; i < kMostVisited && m_session.bundle(); ++i) {
        if (back ? at == 0 : at + 1 >= history.size())
            break;
        at = back ? at - 1 : at + 1;
        addVisited(menu, at);
    }
}

/// What holding the buttons lists, for the keyboard: the newest place first, the current one
/// marked.
void GoMenu::fillVisited(QMenu *menu)
{
    menu->clear();
    const std::size_t now = m_session.historyAt();
    std::size_t at = std::min(m_session.history().size(), now + 1 + kMostVisited);
    const std::size_t end = now > kMostVisited ? now - kMostVisited : 0;
    while (m_session.bundle() && at > end) {
        QAction *place = addVisited(menu, --at);
        place->setCheckable(true);
        place->setChecked(at == now);
    }
    if (menu->isEmpty())
        menu->addAction(tr("No place was gone to yet"))->setEnabled(false);
}

/// The command that opens the bundle at the current place: what a colleague pastes.
void GoMenu::copyLink()
{
    QString link = QDir::toNativeSeparators(m_document.path());
    const QString place = placeText(*m_session.bundle(), m_session.place());
    if (!place.isEmpty())
        link += QLatin1Char('#') + place;
    QGuiApplication::clipboard()->setText(u"kernscope "_s + shellWord(link));
    Q_EMIT m_session.statusMessage(tr("Copied: kernscope %1").arg(link));
}

void GoMenu::stepWeight(int direction)
{
    const BundlePtr &bundle = m_session.bundle();
    if (!bundle || bundle->weights().empty())
        return;
    const std::size_t count = bundle->weights().size(), now = m_session.place().weight;
    if (now >= count)
        m_session.goToWeight(direction > 0 ? 0 : count - 1);
    else if (direction > 0 ? now + 1 < count : now > 0)
        m_session.goToWeight(direction > 0 ? now + 1 : now - 1);
}

} // namespace kernscope::app

#include "moc_go_to_box.cpp"
