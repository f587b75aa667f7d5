// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command_palette.h"

#include "app/dock_set.h"
#include "core/target/registry.h"
#include "widgets/chips/chip_state.h"
#include "widgets/common/design.h"
#include "widgets/common/qt.h"
#include "widgets/models/table_text.h"
#include "widgets/models/theme.h"
#include "widgets/patch/edit_line.h"
#include "widgets/patch/patches_dock.h"

namespace kernscope::app {

namespace {

constexpr int kByLetters = 3; ///< distance of a word that is there by its letters only

/// Whether the character that ends before `at` is part of a word.
bool isWordBefore(std::string_view text, std::size_t at)
{
    std::size_t from = at - 1;
    while (from > 0 && (static_cast<unsigned char>(text[from]) & 0xC0) == 0x80)
        --from; // to its first byte
    const QString letter = QString::fromUtf8(text.data() + from, static_cast<qsizetype>(at - from));
    return !letter.isEmpty() && letter.back().isLetterOrNumber();
}

/// 0: begins with it; 1: one of its words does; 2: holds it, at `at` first.
int distance(std::string_view text, std::string_view word, std::size_t at)
{
    if (at == 0)
        return 0;
    for (std::size_t from = at; from != text.npos; from = text.find(word, from + 1)) {
        if (!isWordBefore(text, from))
            return 1;
    }
    return 2;
}

/// Letters and digits, and whatever is not ASCII.
bool isLetter(char character)
{
    const auto byte = static_cast<unsigned char>(character);
    return byte >= 0x80 || (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z');
}

/// What is left of a text in lower case without what separates words: "conv_2" is conv2.
QByteArray lettersOf(const QByteArray &text)
{
    QByteArray letters;
    std::copy_if(text.begin(), text.end(), std::back_inserter(letters), isLetter);
    return letters;
}

/// Whether the text holds `letters` once what separates its words is left out.
bool holdsLetters(std::string_view text, std::string_view letters)
{
    if (letters.empty())
        return false;
    for (std::size_t from = text.find(letters.front()); from != text.npos;
         from = text.find(letters.front(), from + 1)) {
        std::size_t matched = 0;
        for (std::size_t at = from; at < text.size() && matched < letters.size(); ++at) {
            if (!isLetter(text[at]))
                continue;
            if (text[at] != letters[matched])
                break;
            ++matched;
        }
        if (matched == letters.size())
            return true;
    }
    return false;
}

/// Characters of UTF-16 that a text has.
std::size_t lengthOf(std::string_view text)
{
    std::size_t length = 0;
    for (const char letter : text) {
        const auto byte = static_cast<unsigned char>(letter);
        length += (byte & 0xC0) != 0x80 ? 1 : 0; // the first byte of a character
        length += byte >= 0xF0 ? 1 : 0;          // one that takes two
    }
    return length;
}

std::string_view viewOf(const QByteArray &text)
{
    return {text.constData(), static_cast<std::size_t>(text.size())};
}

} // namespace

struct PaletteIndex::Hit {
    int distance = 0; ///< of the first word
    int kind = 0;
    std::size_t length = 0, group = 0, name = 0;

    auto key() const { return std::tie(distance, kind, length, group, name); }
    bool operator<(const Hit &other) const { return key() < other.key(); }
};

/// The best hits for some words.
class PaletteIndex::Finding
{
public:
    Finding(const QString &words, int limit) : m_most(static_cast<std::size_t>(std::max(limit, 0)))
    {
        for (const QString &word : words.toLower().split(QLatin1Char(' '), Qt::SkipEmptyParts))
            m_words.push_back(word.toUtf8());
        for (const QByteArray &word : m_words)
            m_letters.push_back(lettersOf(word));
    }

    bool isEmpty() const { return m_words.empty(); }
    bool isFull() const { return m_hits.size() >= m_most; }

    /// The names lie in one run: the first word is looked for in all of them at once.
    void search(const Names &names, std::size_t group)
    {
        const std::string_view all = viewOf(names.folded), first = viewOf(m_words.front());
        std::size_t name = 0;
        for (std::size_t at = all.find(first); at != all.npos;) {
            while (names.starts[name + 1] <= at)
                ++name;
            const std::string_view text = names.at(name);
            const std::size_t within = at - names.starts[name];
            if (within + first.size() <= text.size() && hasOtherWords(text))
                add({distance(text, first, within), static_cast<int>(names.group.kind),
                     lengthOf(text), group, name});
            at = all.find(first, names.starts[name + 1]);
        }
    }

    /// Names that search() does not find: a word is in them where what separates words is left out.
    void searchLetters(const Names &names, std::size_t group)
    {
        for (std::size_t name = 0; name < names.size(); ++name) {
            const std::string_view text = names.at(name), first = viewOf(m_words.front());
            if (!hasLetters(text))
                continue;
            const std::size_t at = text.find(first);
            add({at == text.npos ? kByLetters : distance(text, first, at),
                 static_cast<int>(names.group.kind), lengthOf(text), group, name});
        }
    }

    std::vector<Hit> best()
    {
        const auto shown = static_cast<std::ptrdiff_t>(std::min(m_hits.size(), m_most));
        std::partial_sort(m_hits.begin(), m_hits.begin() + shown, m_hits.end());
        m_hits.resize(static_cast<std::size_t>(shown));
        return std::move(m_hits);
    }

private:
    bool hasOtherWords(std::string_view text) const
    {
        return std::all_of(m_words.begin() + 1, m_words.end(), [text](const QByteArray &word) {
            return text.find(viewOf(word)) != text.npos;
        });
    }

    /// Every word is in the text, and at least one of them only by its letters.
    bool hasLetters(std::string_view text) const
    {
        bool byLetters = false;
        for (std::size_t i = 0; i < m_words.size(); ++i) {
            if (text.find(viewOf(m_words[i])) != text.npos)
                continue;
            if (!holdsLetters(text, viewOf(m_letters[i])))
                return false;
            byLetters = true;
        }
        return byLetters;
    }

    void add(const Hit &hit)
    {
        constexpr std::size_t kMostKept = 4096; // before the worst are dropped
        m_hits.push_back(hit);
        if (m_hits.size() < m_most + kMostKept)
            return;
        // A letter that every name has.
        const auto last = m_hits.begin() + static_cast<std::ptrdiff_t>(m_most);
        std::nth_element(m_hits.begin(), last, m_hits.end());
        m_hits.resize(m_most);
    }

    std::size_t m_most;
    std::vector<QByteArray> m_words, m_letters;
    std::vector<Hit> m_hits;
};

std::string_view PaletteIndex::Names::at(std::size_t name) const
{
    return viewOf(folded).substr(starts[name], starts[name + 1] - starts[name] - 1);
}

QString PaletteIndex::Names::text(std::size_t name) const
{
    return group.name ? group.name(name) : group.names[static_cast<qsizetype>(name)];
}

void PaletteIndex::add(Group group)
{
    if (!group.name)
        group.count = static_cast<std::size_t>(group.names.size());
    Names names{std::move(group), {}, {}};
    names.starts.reserve(names.group.count + 1);
    names.starts.push_back(0);
    for (std::size_t i = 0; i < names.group.count; ++i) {
        names.folded += names.text(i).toLower().toUtf8();
        names.folded += '\0';
        names.starts.push_back(static_cast<std::size_t>(names.folded.size()));
    }
    names.folded.squeeze();
    m_groups.push_back(std::move(names));
}

void PaletteIndex::merge(PaletteIndex other)
{
    for (Names &names : other.m_groups)
        m_groups.push_back(std::move(names));
}

void PaletteIndex::drop(std::initializer_list<Kind> kinds)
{
    std::erase_if(m_groups, [kinds](const Names &names) {
        return std::find(kinds.begin(), kinds.end(), names.group.kind) != kinds.end();
    });
}

QList<PaletteIndex::Item> PaletteIndex::find(const QString &text, int limit) const
{
    Finding finding(text, limit);
    if (finding.isEmpty())
        return {};
    for (std::size_t g = 0; g < m_groups.size(); ++g)
        finding.search(m_groups[g], g);
    for (std::size_t g = 0; g < m_groups.size() && !finding.isFull(); ++g)
        finding.searchLetters(m_groups[g], g);
    QList<Item> items;
    for (const Hit &hit : finding.best()) {
        const Names &names = m_groups[hit.group];
        const Group &group = names.group;
        items.push_back(Item{group.kind, names.text(hit.name),
                             group.note ? group.note(hit.name) : QString(),
                             [run = group.run, at = hit.name] { run(at); }});
    }
    return items;
}

QString paletteKindWord(PaletteIndex::Kind kind)
{
    switch (kind) {
    case PaletteIndex::Kind::Weight: return ui::Words::tr("weight");
    case PaletteIndex::Kind::Action: return ui::Words::tr("action");
    case PaletteIndex::Kind::Operation: return ui::Words::tr("operation");
    case PaletteIndex::Kind::Register: return ui::Words::tr("register");
    case PaletteIndex::Kind::Section: return ui::Words::tr("section");
    case PaletteIndex::Kind::Chip: return ui::Words::tr("chip");
    case PaletteIndex::Kind::Help: return ui::Words::tr("help");
    }
    return {};
}

namespace {

constexpr int kMostShown = 14;

class HitDelegate final : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &) const override
    {
        return {0, static_cast<int>(option.fontMetrics.height() * 1.6)};
    }

    void paint(QPainter *painter, const QStyleOptionViewItem &option,
               const QModelIndex &index) const override
    {
        const bool chosen = option.state & QStyle::State_Selected;
        if (chosen)
            painter->fillRect(option.rect, ui::design::chosenGround(option.palette));
        const int gap = option.fontMetrics.height() / 2;
        const QRect room = option.rect.adjusted(gap, 0, -gap, 0);
        const QFontMetrics &metrics = option.fontMetrics;
        const QString text = index.data().toString();
        QString note = index.data(PaletteModel::NoteRole).toString();
        const int left = room.width() - gap - metrics.horizontalAdvance(text);
        note = metrics.elidedText(note, Qt::ElideMiddle, std::max(room.width() / 2, left));
        const int noted = metrics.horizontalAdvance(note);
        painter->setPen(option.palette.color(QPalette::Text));
        painter->drawText(room.adjusted(0, 0, -noted - gap, 0), Qt::AlignLeft | Qt::AlignVCenter,
                          metrics.elidedText(text, Qt::ElideMiddle, room.width() - noted - gap));
        painter->setPen(option.palette.color(QPalette::PlaceholderText));
        painter->drawText(room, Qt::AlignRight | Qt::AlignVCenter, note);
    }
};

} // namespace

void PaletteModel::setItems(QList<PaletteIndex::Item> items)
{
    beginResetModel();
    m_items = std::move(items);
    endResetModel();
}

int PaletteModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_items.size());
}

QVariant PaletteModel::data(const QModelIndex &at, int role) const
{
    if (!at.isValid() || at.row() >= rowCount())
        return {};
    const PaletteIndex::Item &item = m_items[at.row()];
    QString note = paletteKindWord(item.kind);
    if (!item.note.isEmpty())
        note = item.note + u"  \u00B7  "_s + note;
    switch (role) {
    case Qt::DisplayRole: return item.text;
    case NoteRole: return note;
    case Qt::ToolTipRole:
    case Qt::AccessibleTextRole: return item.text + u", "_s + note;
    default: return {};
    }
}

PaletteList::PaletteList(QWidget *window) : QListView(window), m_model(new PaletteModel(this))
{
    setModel(m_model);
    setItemDelegate(new HitDelegate(this));
    setAccessibleName(tr("What was found"));
    setFocusPolicy(Qt::NoFocus);
    setUniformItemSizes(true);
    setEditTriggers(NoEditTriggers);
    setAutoFillBackground(true);
    setMouseTracking(true);
    hide();
    connect(this, &QListView::clicked, this,
            [this](const QModelIndex &index) { Q_EMIT picked(index.row()); });
}

void PaletteList::showBelow(const QWidget &box, QList<PaletteIndex::Item> items)
{
    m_model->setItems(std::move(items));
    setCurrentIndex({});
    const int rows = std::min(m_model->rowCount(), kMostShown);
    if (rows == 0) {
        hide();
        return;
    }
    const QWidget *window = parentWidget();
    const int width = std::min(window->width(), std::max(box.width(), ui::theme::em(this, 32)));
    const QPoint corner = box.mapTo(window, QPoint(box.width(), box.height() + 2));
    setGeometry(std::max(0, corner.x() - width), corner.y(), width,
                rows * sizeHintForRow(0) + 2 * frameWidth());
    raise();
    show();
}

void PaletteList::step(int by)
{
    const int rows = m_model->rowCount();
    if (rows == 0)
        return;
    const int now = chosen() < 0 ? (by > 0 ? -1 : rows) : chosen();
    setCurrentIndex(m_model->index(std::clamp(now + by, 0, rows - 1), 0));
}

namespace {

struct PaletteAction {
    QPointer<QAction> action;
    QString text, note;
};

/// The enabled actions of a menu and of its submenus; `path`: the menus above it.
void collectActions(QAction *action, const QString &path, std::vector<PaletteAction> &out)
{
    QString text = action->text().section(QLatin1Char('\t'), 0, 0);
    text.remove(QLatin1Char('&'));
    if (action->isSeparator() || !action->isEnabled() || text.isEmpty())
        return;
    if (const QMenu *menu = action->menu()) {
        const QString below = path.isEmpty() ? text : path + u" \u203A "_s + text;
        for (QAction *child : menu->actions())
            collectActions(child, below, out);
        return;
    }
    QString note = path;
    if (!action->shortcut().isEmpty())
        note += u"   "_s + action->shortcut().toString(QKeySequence::NativeText);
    out.push_back({action, text, note});
}

} // namespace

PaletteSource::PaletteSource(QMenuBar &menus, ui::Session &session, DockSet &docks, QObject *parent)
    : QObject(parent), m_menus(menus), m_session(session), m_docks(&docks)
{
}

/// What the search box finds beside the names of the bundle.
void PaletteSource::fill(PaletteIndex &index)
{
    addActions(index);
    addEdits(index);
    addChips(index);
    addHelp(index);
}

void PaletteSource::addActions(PaletteIndex &index)
{
    PaletteIndex::Group actions;
    actions.kind = PaletteIndex::Kind::Action;
    auto found = std::make_shared<std::vector<PaletteAction>>();
    for (QAction *menu : m_menus.actions())
        collectActions(menu, {}, *found);
    for (const PaletteAction &entry : *found)
        actions.names += entry.text;
    actions.note = [found](std::size_t i) { return (*found)[i].note; };
    actions.run = [found](std::size_t i) {
        if ((*found)[i].action)
            (*found)[i].action->trigger();
    };
    index.add(std::move(actions));
}

/// What an edit can be is chosen in the line of the patches, which no menu lists.
void PaletteSource::addEdits(PaletteIndex &index)
{
    PaletteIndex::Group kinds;
    kinds.kind = PaletteIndex::Kind::Action;
    auto edits = std::make_shared<ui::EditLine::KindList>(
        m_session.bundle() ? ui::EditLine::kinds() : ui::EditLine::KindList());
    for (const auto &[word, kind] : *edits)
        kinds.names += tr("New Edit: %1").arg(word);
    kinds.run = [this, edits](std::size_t i) {
        DockSet::reveal(m_docks->patches());
        m_docks->patches()->beginEdit((*edits)[i].second);
    };
    index.add(std::move(kinds));
}

void PaletteSource::addChips(PaletteIndex &index)
{
    PaletteIndex::Group chips;
    chips.kind = PaletteIndex::Kind::Chip;
    // Each name of its own, so that M1 is found before what begins with it; the others beside it.
    auto found = std::make_shared<std::vector<std::pair<std::size_t, QString>>>();
    for (std::size_t i = 0; i < target::targets().size(); ++i) {
        const target::Target &chip = target::targets()[i];
        QStringList words{QString::fromStdString(chip.name)};
        for (const std::string &alias : chip.aliases)
            words += QString::fromStdString(alias);
        QStringList named = words;
        for (const std::string &alias : target::contestedNames(chip))
            named += QString::fromStdString(alias);
        for (const QString &word : named) {
            QStringList others = words;
            if (!others.removeOne(word))
                others.prepend(tr("%1 contested").arg(QChar(0x2260)));
            chips.names += word;
            found->emplace_back(i, others.join(u", "_s));
        }
    }
    chips.note = [found](std::size_t i) { return (*found)[i].second; };
    chips.run = [this, found](std::size_t i) {
        ui::ChipState::of(m_session).setTarget(target::targets()[(*found)[i].first]);
        Q_EMIT chipChosen();
    };
    index.add(std::move(chips));
}

void PaletteSource::addHelp(PaletteIndex &index)
{
    PaletteIndex::Group pages;
    pages.kind = PaletteIndex::Kind::Help;
    const QStringList files = QDir(u":/help"_s).entryList({u"*.md"_s}, QDir::Files);
    QStringList ids;
    for (const QString &file : files) {
        QFile page(u":/help/"_s + file);
        if (!page.open(QIODevice::ReadOnly))
            continue;
        ids += file.chopped(3);
        pages.names += QString::fromUtf8(page.readLine()).remove(QLatin1Char('#')).trimmed();
    }
    pages.run = [this, ids](std::size_t i) { Q_EMIT helpChosen(ids[static_cast<qsizetype>(i)]); };
    index.add(std::move(pages));
}

} // namespace kernscope::app

#include "moc_command_palette.cpp"
