// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/weight/bundle_facts.h"

#include "core/assessment/weight_where.h"
#include "core/base/overlaid_file.h"
#include "core/bundle/stored_bytes.h"
#include "core/form/form_steps.h"
#include "core/report/program_table.h"
#include "widgets/chips/chip_state.h"
#include "widgets/common/controls.h"
#include "widgets/common/labels.h"
#include "widgets/common/qt.h"
#include "widgets/models/program_model.h"
#include "widgets/models/words.h"

namespace kernscope::ui {

namespace {

constexpr std::size_t kMostValues = 8, kMostLabels = 6; ///< inputs or outputs, classes named
constexpr std::size_t kMostFiles = 12;
constexpr double kFormsHeight = 1.1, kFormSwatch = 0.8; // in ems

} // namespace

/// Chips that read the same number of bytes.
struct AlikeChips {
    const TargetTotals *totals = nullptr;
    std::vector<const target::Target *> chips;
};

namespace {

constexpr std::size_t kMostRows = 6;
constexpr double kBarHeight = 0.7; // in ems

/// The chip of `first` and those alike before the others.
std::vector<AlikeChips> alikeChips(const DecisionTable &table, const target::Target &first)
{
    std::vector<AlikeChips> groups;
    for (std::size_t column = 0; column < table.columns(); ++column) {
        const TargetTotals &totals = table.totals(column);
        auto found = std::find_if(groups.begin(), groups.end(), [&totals](const AlikeChips &group) {
            return group.totals->bytesMoved == totals.bytesMoved &&
                   group.totals->movedOpen == totals.movedOpen;
        });
        if (found == groups.end())
            found = groups.insert(groups.end(), AlikeChips{&totals, {}});
        found->chips.push_back(&table.target(column));
    }
    std::stable_partition(groups.begin(), groups.end(), [&first](const AlikeChips &group) {
        return std::find(group.chips.begin(), group.chips.end(), &first) != group.chips.end();
    });
    return groups;
}

/// The chips of the group, `first` before the others.
std::vector<const target::Target *> chipsOf(const AlikeChips &group, const target::Target &first)
{
    std::vector<const target::Target *> chips = group.chips;
    std::stable_partition(chips.begin(), chips.end(),
                          [&first](const target::Target *chip) { return chip == &first; });
    return chips;
}

QString chipNames(const std::vector<const target::Target *> &chips)
{
    QStringList names;
    for (const target::Target *chip : chips)
        names += chipName(*chip);
    return names.join(u", "_s);
}

/// "M1 and 20 more": the bars beside it need the room; the whole list is a tool tip.
QString briefNames(const std::vector<const target::Target *> &chips)
{
    const QString product = productWord(*chips.front(), true);
    const QString first = product.isEmpty() ? fromUtf8(chips.front()->name) : product;
    return chips.size() > 1 ? ChipBars::tr("%1 and %2 more").arg(first).arg(chips.size() - 1)
                            : first;
}

} // namespace

ChipBars::ChipBars(Session &session, QWidget *parent)
    : QWidget(parent), m_session(session), m_state(ChipState::of(session))
{
    withoutMargins(new QVBoxLayout(this));
    for (const auto signal : {&ChipState::tableChanged, &ChipState::targetChanged})
        connect(&m_state, signal, this, &ChipBars::showRows);
    showRows();
}

void ChipBars::addNote(const QString &text)
{
    QLabel *note = giveWay(design::label(text, design::Type::Small, m_body));
    auto *grid = static_cast<QGridLayout *>(m_body->layout());
    grid->addWidget(note, grid->rowCount(), 0, 1, 3);
}

void ChipBars::showRows()
{
    delete m_body;
    m_body = new QWidget(this);
    layout()->addWidget(m_body);
    factGrid(m_body)->setContentsMargins({});
    const auto &table = m_state.table();
    if (!table) {
        addNote(m_session.bundle() ? m_state.waitingText() : QString());
        m_body->show();
        return;
    }
    const std::vector<AlikeChips> groups = alikeChips(*table, m_state.target());
    std::uint64_t most = 1;
    for (const AlikeChips &group : groups)
        most = std::max(most, group.totals->bytesMoved);
    for (std::size_t i = 0; i < groups.size() && i < kMostRows; ++i) {
        addRow(static_cast<int>(i), groups[i], most);
    }
    if (groups.size() > kMostRows)
        addNote(tr("and %1 other figures: see Stream or Fold").arg(groups.size() - kMostRows));
    m_body->show();
}

/// Chips that move the same bytes: their names, a bar as a share of the most, the figure.
void ChipBars::addRow(int row, const AlikeChips &group, std::uint64_t most)
{
    auto *grid = static_cast<QGridLayout *>(m_body->layout());
    const bool known = group.totals->movedOpen == 0;
    const auto members = chipsOf(group, m_state.target());
    const QString all = chipNames(members);
    const QString bytes = group.totals->movedOpen == m_state.table()->rows() ? tr("not known")
                          : known ? tr("%1 B").arg(groupedNumber(group.totals->bytesMoved))
                                  : tr("\u2265 %1 B").arg(groupedNumber(group.totals->bytesMoved));
    QLabel *chips = linkLabel(
        u"<a href=\"%1\">%2</a>"_s.arg(fromUtf8(group.chips.front()->name).toHtmlEscaped(),
                                       briefNames(members).toHtmlEscaped()),
        m_body);
    chips->setWordWrap(true); // before the figure has no room
    chips->setToolTip(tr("%1\nJudge by %2").arg(all, fromUtf8(group.chips.front()->name)));
    connect(chips, &QLabel::linkActivated, this,
            [this, chip = group.chips.front()] { m_state.setTarget(*chip); });
    auto *bar = new ShareBar(kBarHeight, m_body);
    bar->setParts({{static_cast<double>(group.totals->bytesMoved) / static_cast<double>(most),
                    Token::OutStreams, u"%1: %2"_s.arg(all, bytes)}});
    auto *figure = new QLabel(bytes, m_body);
    figure->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    figure->setTextInteractionFlags(Qt::TextSelectableByMouse);
    if (!known)
        figure->setToolTip(countedWords(group.totals->movedOpen,
                                        tr("Of one weight it is not known"),
                                        tr("Of %1 weights it is not known")));
    grid->addWidget(chips, row, 0);
    grid->addWidget(bar, row, 1, Qt::AlignVCenter);
    grid->addWidget(figure, row, 2);
}

BundleFacts::BundleFacts(Session &session, QWidget *parent) : QWidget(parent)
{
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(design::space(this, design::Space::Small), 0, 0, 0);
    column->setSpacing(design::space(this, design::Space::Small));
    m_forms = new ShareBar(kFormsHeight, this);
    m_chips = new ChipBars(session, this);
    const auto heading = [this](const QString &text) {
        return design::label(text, design::Type::Heading, this);
    };
    column->addWidget(heading(tr("Forms by bytes")));
    column->addWidget(m_forms);
    m_body = new QWidget(this);
    column->addWidget(m_body);
    QLabel *chips = heading(tr("On chips"));
    chips->setToolTip(tr("Bytes of the weights that the engine reads per call"));
    column->addWidget(chips);
    column->addWidget(m_chips);
    m_more = new QWidget(this);
    column->addWidget(m_more);
    column->addWidget(heading(tr("Next")));
    for (const auto &[what, text] :
         {std::pair{u"compare"_s, tr("Compare with another build\u2026")},
          std::pair{u"plan"_s, tr("Plan its forms")},
          std::pair{u"report"_s, tr("Export a report\u2026")}}) {
        QLabel *link = linkLabel(u"<a href=\"%1\">%2</a>"_s.arg(what, text), this);
        connect(link, &QLabel::linkActivated, this, &BundleFacts::nextRequested);
        column->addWidget(link);
    }
}

void BundleFacts::addHeading(const QString &text)
{
    QLabel *heading = design::label(text, design::Type::Heading, m_rows->parentWidget());
    heading->setContentsMargins(0, design::space(this, design::Space::Small), 0, 0);
    m_rows->addWidget(heading, m_rows->rowCount(), 0, 1, 3);
}

/// The label at the left, for a swatch before it.
QLabel *BundleFacts::addRow(const QString &name, const QString &value, const QString &tip)
{
    QWidget *body = m_rows->parentWidget();
    const int row = m_rows->rowCount();
    // Of a path the end tells which file it is.
    auto *left =
        new ElidedLabel(name.contains(QLatin1Char('/')) ? Qt::ElideLeft : Qt::ElideMiddle, body);
    left->setWholeText(name);
    left->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto *right = new QLabel(value, body);
    right->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    right->setTextInteractionFlags(Qt::TextSelectableByMouse);
    right->setToolTip(tip);
    auto *swatch = new QLabel(body);
    m_rows->addWidget(swatch, row, 0);
    m_rows->addWidget(left, row, 1);
    m_rows->addWidget(right, row, 2);
    return swatch;
}

void BundleFacts::addForms(const Bundle &bundle)
{
    using Form = std::pair<std::string, BundleSums::Form>;
    std::vector<Form> forms(m_sums.begin(), m_sums.end());
    std::stable_sort(forms.begin(), forms.end(),
                     [](const Form &a, const Form &b) { return a.second.bytes > b.second.bytes; });
    std::uint64_t all = 0;
    for (const auto &[text, sum] : forms)
        all += sum.bytes;
    std::vector<ShareBar::Part> parts;
    const int side = theme::em(this, kFormSwatch);
    for (const auto &[text, sum] : forms) {
        const QString bytes =
            sum.unread == sum.weights
                ? tr("unknown")
                : (sum.unread > 0 ? tr("\u2265 %1 B") : tr("%1 B")).arg(groupedNumber(sum.bytes));
        const QString name =
            u"%1 \u00D7 %2"_s.arg(groupedNumber(sum.weights), fromUtf8(formWords(text)));
        const Token token = formToken(bundle.weights()[sum.first].form);
        QLabel *swatch = addRow(name, bytes);
        swatch->setPixmap(
            glyphIcon(u"\u25A0"_s, token).pixmap(QSize(side, side), devicePixelRatioF()));
        if (sum.bytes > 0)
            parts.push_back({static_cast<double>(sum.bytes) / static_cast<double>(all), token,
                             u"%1: %2"_s.arg(name, bytes)});
    }
    if (const std::uint64_t again = sharedBytes(m_sums, bundle.totals()); again > 0)
        addRow(tr("shared, counted for each weight"), tr("-%1 B").arg(groupedNumber(again)));
    m_forms->setVisible(!parts.empty());
    m_forms->setParts(std::move(parts));
}

void BundleFacts::addFiles(const Bundle &bundle)
{
    addHeading(tr("Files"));
    std::size_t shown = 0;
    for (const BundleFile &file : bundle.files()) {
        if (shown++ == kMostFiles) {
            addRow(tr("and %1 more").arg(groupedNumber(bundle.files().size() - kMostFiles)), {});
            break;
        }
        addRow(fromUtf8(file.path), tr("%1 B").arg(groupedNumber(file.file->size().value)));
    }
}

/// What an app gives and takes: of the function that runs by default.
void BundleFacts::addFeatures(const Bundle &bundle)
{
    const auto features = report::featureFacts(bundle);
    const auto &described = bundle.program()->descriptions;
    if (features.empty() || described.empty())
        return addProgram(*bundle.program());
    std::string_view first = described.front().defaultFunction, use;
    if (first.empty())
        first = features.front().function;
    std::size_t inUse = 0;
    for (const report::FeatureFacts &row : features) {
        if (row.model != features.front().model || row.function != first)
            continue;
        if (std::exchange(use, row.use) != row.use) {
            inUse = 0;
            addHeading(use == "in" ? tr("Inputs") : use == "out" ? tr("Outputs") : tr("States"));
        }
        const std::string allowed = row.feature->allowedText();
        if (++inUse <= kMostValues)
            addRow(fromUtf8(row.feature->name),
                   fromUtf8(row.feature->typeText() + (allowed.empty() ? "" : " \u2026")),
                   fromUtf8(row.feature->words + (allowed.empty() ? "" : "\nor " + allowed)));
        else if (inUse == kMostValues + 1)
            addRow(u"\u2026"_s, {});
    }
    QStringList lines;
    for (const std::string &line : report::descriptionLines(described.front(), kMostLabels)) {
        if (!line.starts_with("description: ") && !line.starts_with("author: "))
            lines += fromUtf8(line); // those two stand in the overview
    }
    if (lines.isEmpty())
        return;
    addHeading(tr("About"));
    QLabel *words = giveWay(selectableLabel(m_rows->parentWidget(), Qt::PlainText));
    words->setText(lines.join(u'\n'));
    m_rows->addWidget(words, m_rows->rowCount(), 0, 1, 3);
}

/// Of a program that no description goes with.
void BundleFacts::addProgram(const mil::Program &program)
{
    if (program.functions.empty())
        return;
    const mil::Function &main = program.functions.front();
    addHeading(tr("Inputs"));
    for (std::size_t i = 0; i < main.inputs.size() && i < kMostValues; ++i)
        addRow(fromUtf8(main.inputs[i].name), programType(main.inputs[i].type));
    addHeading(tr("Outputs"));
    for (std::size_t i = 0; i < main.body.outputs.size() && i < kMostValues; ++i) {
        const mil::ValueType *type = report::outputType(main, main.body.outputs[i]);
        addRow(fromUtf8(main.body.outputs[i]), type ? programType(*type) : QString());
    }
}

void BundleFacts::setBundle(const BundlePtr &bundle)
{
    if (m_summed.owner_before(bundle) || bundle.owner_before(m_summed)) {
        m_sums = sumUpForms(*bundle);
        m_summed = bundle;
    }
    const auto anew = [this](QWidget *&body) {
        auto *fresh = new QWidget(this);
        delete layout()->replaceWidget(body, fresh);
        delete body;
        body = fresh;
        m_rows = factGrid(body, design::Space::Small);
        m_rows->setContentsMargins({});
    };
    anew(m_body);
    addForms(*bundle);
    m_body->show();
    anew(m_more);
    addFiles(*bundle);
    addFeatures(*bundle);
    m_more->show();
}

} // namespace kernscope::ui

#include "moc_bundle_facts.cpp"
