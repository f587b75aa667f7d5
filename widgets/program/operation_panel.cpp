// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/program/operation_panel.h"

#include "core/assessment/consumer_kinds.h"
#include "core/bundle/bundle.h"
#include "core/form/form_steps.h"
#include "widgets/common/labels.h"
#include "widgets/common/qt.h"
#include "widgets/models/table_text.h"

namespace kernscope::ui {

namespace {

constexpr std::size_t kMostReaders = 12;

/// A line may end behind the parts of a name: none is cut in a narrow panel.
QString breakable(QString text)
{
    return text.replace(u'_', u"_\u200B"_s);
}

QString richText(const std::vector<ProgramSpan> &spans)
{
    QString rich;
    for (const ProgramSpan &span : spans) {
        const QString text = breakable(span.text).toHtmlEscaped();
        if (span.weight != ProgramTree::kNone)
            rich += u"<a href=\"weight:%1\">%2</a>"_s.arg(span.weight).arg(text);
        else if (span.node != ProgramTree::kNone)
            rich += u"<a href=\"row:%1\">%2</a>"_s.arg(span.node).arg(text);
        else
            rich += text;
    }
    return rich;
}

/// Of what a link leads to: "fp16 [1, 8, 4]"; empty where it is not stated.
QString typeOf(const ProgramTree &tree, const ProgramSpan &to)
{
    if (to.weight != ProgramTree::kNone) {
        const Weight &weight = tree.bundle().weights()[to.weight];
        return fromUtf8(formWords(weight.form) + ' ' + shapeText(weight.shape));
    }
    if (to.node == ProgramTree::kNone || tree.node(to.node).kind != ProgramTree::Kind::Operation)
        return {};
    for (const mil::NamedType &output : tree.operation(to.node)->outputs) {
        if (fromUtf8(output.name) == to.text)
            return programType(output.type);
    }
    return {};
}

} // namespace

std::optional<Place> placeOfOperation(const ProgramTree &tree, std::size_t row)
{
    Place place;
    const std::vector<std::size_t> weights = tree.weightsOf(row);
    place.weight = weights.empty() ? kNoIndex : leadingWeight(tree.bundle(), weights);
    const mil::Operation *operation = tree.operation(row);
    const std::size_t file = tree.fileOf(row);
    const bool stated = tree.node(row).kind == ProgramTree::Kind::Operation &&
                        operation->span.length > 0 && file != kNoIndex;
    if (stated && !operation->type.starts_with("constexpr_")) {
        place.file = file;
        place.bytes = {FileOffset(operation->span.offset), ByteCount(operation->span.length)};
    }
    return place == Place() ? std::nullopt : std::optional(place);
}

OperationPanel::OperationPanel(Session &session, QWidget *parent)
    : InspectorPanel(parent), m_session(session)
{
    withoutMargins(new QVBoxLayout(this));
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum); // the rest is for what follows
}

void OperationPanel::clear()
{
    m_row = ProgramTree::kNone;
    m_weight = kNoIndex;
    delete m_body;
}

bool OperationPanel::showPlace(const BundlePtr &bundle, const Place &place)
{
    if (!place.bytes || !bundle->isProgramFile(place.file) || bundle->program()->functions.empty())
        return false;
    if (bundle != m_bundle) {
        m_bundle = bundle;
        m_tree.reset();
        m_job.start(
            tr("Reading the program"),
            [bundle](Progress &progress) {
                const BundleReadLock lock(*bundle);
                return ProgramTree::build(bundle, &progress);
            },
            [this](std::shared_ptr<const ProgramTree> tree) {
                m_tree = std::move(tree);
                m_row = ProgramTree::kNone;
                Q_EMIT ready();
            });
    }
    if (!m_tree)
        return false;
    const std::size_t row = m_tree->rowAtByte(place.file, place.bytes->offset.value);
    if (row == ProgramTree::kNone)
        return false;
    const std::optional<Place> whole = placeOfOperation(*m_tree, row);
    if (!whole || whole->bytes != place.bytes)
        return false;
    if (row != m_row || !m_body)
        showRow(row);
    return true;
}

void OperationPanel::addHeading(const QString &text)
{
    QLabel *heading = design::label(text, design::Type::Heading, m_body);
    heading->setContentsMargins(0, design::space(this, design::Space::Small), 0, 0);
    m_rows->addWidget(heading, m_rows->rowCount(), 0, 1, 2);
}

QLabel *OperationPanel::addLine(const QString &name, const QString &rich, const QString &plain)
{
    const int row = m_rows->rowCount();
    QLabel *left = design::label(breakable(name), design::Type::Small, m_body);
    QLabel *right = giveWay(linkLabel(rich, m_body));
    right->setTextInteractionFlags(Qt::TextBrowserInteraction);
    connect(right, &QLabel::linkActivated, this, [this](const QString &link) {
        const std::size_t to = link.section(u':', 1).toULongLong();
        Place place;
        place.weight = to;
        if (link.startsWith("row:"_L1))
            place = placeOfOperation(*m_tree, to).value_or(Place());
        if (place != Place())
            Q_EMIT picked(place);
    });
    m_rows->addWidget(left, row, 0, name.isEmpty() ? Qt::Alignment() : Qt::AlignTop);
    m_rows->addWidget(right, row, name.isEmpty() ? 0 : 1, 1, name.isEmpty() ? 2 : 1);
    m_lines += name.isEmpty() ? plain : u"%1: %2"_s.arg(name, plain);
    return right;
}

void OperationPanel::showRow(std::size_t row)
{
    clear();
    m_row = row;
    m_lines.clear();
    const mil::Operation &operation = *m_tree->operation(row);
    m_weight = placeOfOperation(*m_tree, row)->weight;
    m_title = fromUtf8(operation.displayName());
    m_body = new QWidget(this);
    m_rows = factGrid(m_body);
    addLine({},
            u"<b>%1</b> %2"_s.arg(fromUtf8(operation.type).toHtmlEscaped(),
                                  breakable(m_title).toHtmlEscaped()),
            fromUtf8(operation.type) + u' ' + m_title);
    bool attributes = false;
    addHeading(tr("Operands"));
    for (const ProgramOperand &operand : programOperands(*m_tree, row)) {
        if (operand.attribute && !std::exchange(attributes, true))
            addHeading(tr("Attributes"));
        const QString type =
            operand.spans.size() == 1 ? typeOf(*m_tree, operand.spans.front()) : QString();
        addLine(operand.name,
                richText(operand.spans) +
                    (type.isEmpty() ? QString()
                                    : u" <span style=\"color:%1\">%2</span>"_s.arg(
                                          palette().color(QPalette::PlaceholderText).name(),
                                          type.toHtmlEscaped())),
                (programText(operand.spans) + u' ' + type).trimmed());
    }
    addHeading(tr("Results"));
    for (const mil::NamedType &output : operation.outputs) {
        const QString type = programType(output.type);
        addLine({}, breakable(fromUtf8(output.name) + u' ' + type).toHtmlEscaped(),
                fromUtf8(output.name) + u' ' + type);
    }
    std::size_t readers = 0;
    for (std::size_t output = 0; output < operation.outputs.size(); ++output) {
        for (const std::size_t use : m_tree->uses(row, output)) {
            if (readers == 0)
                addHeading(tr("Read by"));
            if (++readers > kMostReaders)
                continue;
            const mil::Operation &reader = *m_tree->operation(use);
            ProgramSpan span{fromUtf8(reader.displayName()), ProgramSpan::Kind::Value, use};
            addLine(fromUtf8(reader.type), richText({span}), span.text);
        }
    }
    if (readers > kMostReaders) {
        const QString more = tr("and %1 more").arg(groupedNumber(readers - kMostReaders));
        addLine({}, more, more);
    }
    layout()->addWidget(m_body);
    m_body->show();
}

QString OperationPanel::text() const
{
    return m_lines.join(u'\n');
}

} // namespace kernscope::ui

#include "moc_operation_panel.cpp"
