// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/weight/bundle_facts.h"

#include "core/bundle/stored_bytes.h"
#include "core/container/mil/program.h"
#include "widgets/common/design.h"
#include "widgets/common/elided_label.h"
#include "widgets/common/table_text.h"
#include "widgets/weight/weight_words.h"

#include <QGridLayout>
#include <QLabel>
#include <QVBoxLayout>

#include <map>

namespace kernscope::ui {

namespace {

constexpr std::size_t kMostValues = 8; ///< inputs or outputs named

QString typeWords(const mil::ValueType &type)
{
    if (!type.isTensor())
        return fromUtf8(type.text);
    QStringList dims;
    for (const std::int64_t dim : type.dims)
        dims += dim == mil::kUnknownExtent ? QStringLiteral("?") : QString::number(dim);
    return QStringLiteral("%1 [%2]").arg(fromUtf8(elementTypeName(type.element)),
                                         dims.join(QStringLiteral(", ")));
}

/// Of the operation that makes the value.
QString outputType(const mil::Block &body, const std::string &name)
{
    for (auto op = body.operations.rbegin(); op != body.operations.rend(); ++op) {
        for (const mil::NamedType &output : op->outputs) {
            if (output.name == name)
                return typeWords(output.type);
        }
    }
    return {};
}

} // namespace

BundleFacts::BundleFacts(QWidget *parent) : QWidget(parent)
{
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
}

void BundleFacts::addHeading(const QString &text)
{
    m_rows->addWidget(design::label(text, design::Type::Heading, m_body), m_rows->rowCount(), 0, 1,
                      2);
}

void BundleFacts::addRow(const QString &name, const QString &value)
{
    const int row = m_rows->rowCount();
    // Of a path the end tells which file it is.
    auto *left =
        new ElidedLabel(name.contains(QLatin1Char('/')) ? Qt::ElideLeft : Qt::ElideMiddle, m_body);
    left->setWholeText(name);
    left->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto *right = new QLabel(value, m_body);
    right->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    right->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_rows->addWidget(left, row, 0);
    m_rows->addWidget(right, row, 1);
}

void BundleFacts::setBundle(const Bundle &bundle)
{
    delete m_body;
    m_body = new QWidget(this);
    layout()->addWidget(m_body);
    m_rows = new QGridLayout(m_body);
    m_rows->setContentsMargins(design::space(this, design::Space::Small), 0, 0, 0);
    m_rows->setHorizontalSpacing(design::space(this, design::Space::Medium));
    m_rows->setVerticalSpacing(design::space(this, design::Space::Hair));
    m_rows->setColumnStretch(0, 1);
    struct Sums {
        std::size_t count = 0;
        std::uint64_t bytes = 0;
        bool known = true;
    };
    std::map<std::string, Sums> forms;
    for (const Weight &weight : bundle.weights()) {
        Sums &sums = forms[formText(weight.form)];
        ++sums.count;
        sums.bytes += weight.storedBytes.value;
        sums.known = sums.known && knownStoredBytes(weight);
    }
    addHeading(tr("Forms by bytes"));
    for (const auto &[form, sums] : forms)
        addRow(QStringLiteral("%1 \u00D7 %2").arg(sums.count).arg(fromUtf8(form)),
               sums.known ? tr("%1 B").arg(groupedNumber(sums.bytes)) : tr("unknown"));
    addHeading(tr("Files"));
    for (const BundleFile &file : bundle.files())
        addRow(fromUtf8(file.path), tr("%1 B").arg(groupedNumber(file.file->size().value)));
    if (!bundle.program().functions.empty()) {
        const mil::Function &main = bundle.program().functions.front();
        addHeading(tr("Inputs"));
        for (std::size_t i = 0; i < main.inputs.size() && i < kMostValues; ++i)
            addRow(fromUtf8(main.inputs[i].name), typeWords(main.inputs[i].type));
        addHeading(tr("Outputs"));
        for (std::size_t i = 0; i < main.body.outputs.size() && i < kMostValues; ++i)
            addRow(fromUtf8(main.body.outputs[i]), outputType(main.body, main.body.outputs[i]));
    }
    m_body->show();
}

} // namespace kernscope::ui
