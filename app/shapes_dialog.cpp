// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shapes_dialog.h"

#include "app/texts.h"
#include "core/base/find.h"
#include "widgets/common/labels.h"
#include "widgets/common/qt.h"
#include "widgets/models/table_text.h"
#include "widgets/models/theme.h"

namespace kernscope::app {

namespace {

/// "1,3,?,?"; of an input of any rank nothing.
QString extentsText(const std::vector<std::int64_t> &dims)
{
    QStringList words;
    for (const std::int64_t extent : dims)
        words << (extent < 0 ? u"?"_s : QString::number(extent));
    return words.join(QLatin1Char(','));
}

bool anyRank(const shapes::OpenInput &input)
{
    return input.dims.size() == 1 && input.dims.front() < 0;
}

} // namespace

ShapesDialog::ShapesDialog(const std::vector<shapes::OpenInput> &inputs,
                           const std::vector<shapes::ShapeBinding> &bound, QWidget *parent)
    : QDialog(parent)
{
    setWindowTitle(tr("Shapes of Inputs"));
    auto *intro = new QLabel(
        tr("The program leaves the extents marked ? open, so that FLOPs, bytes moved and times "
           "that depend on them are unknown. What is given here is followed through the whole "
           "program. No file is changed."),
        this);
    intro->setWordWrap(true);

    auto *fields = new QWidget(this);
    addFields(*fields, inputs, bound);
    auto *scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidget(fields);

    m_fault = new QLabel(this);
    m_fault->setWordWrap(true);
    m_fault->setTextFormat(Qt::PlainText);
    m_buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
    m_buttons->button(QDialogButtonBox::Ok)->setText(tr("&Use These Shapes"));
    QPushButton *reset =
        m_buttons->addButton(tr("As the File &Has Them"), QDialogButtonBox::ResetRole);
    connect(reset, &QPushButton::clicked, this, [this] {
        for (const Row &row : m_rows)
            row.text->setText(extentsText(row.input.dims));
    });
    connect(m_buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(m_buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);

    ui::laidOut(new QVBoxLayout(this), {intro, {scroll, 1}, m_fault, m_buttons});
    resize(ui::theme::em(this, 36), sizeHint().height());
    if (!m_rows.empty()) {
        m_rows.front().text->setFocus();
        m_rows.front().text->selectAll();
    }
    check();
}

void ShapesDialog::addFields(QWidget &fields, const std::vector<shapes::OpenInput> &inputs,
                             const std::vector<shapes::ShapeBinding> &bound)
{
    auto *form = new QFormLayout(&fields);
    form->setRowWrapPolicy(QFormLayout::WrapLongRows);
    for (const shapes::OpenInput &input : inputs) {
        const auto *known = findBy(bound, &shapes::ShapeBinding::input, input.input);
        auto *text = new QLineEdit(extentsText(known ? known->dims : input.dims), &fields);
        text->setFont(ui::fixedFont());
        text->setPlaceholderText(tr("extents with commas, ? where open"));
        text->setAccessibleName(tr("Shape of %1").arg(ui::fromUtf8(input.input)));
        text->setToolTip(ui::fromUtf8(input.type));
        auto *label = new QLabel(
            u"%1  %2"_s.arg(ui::fromUtf8(input.input), ui::fromUtf8(input.type)), &fields);
        label->setTextFormat(Qt::PlainText);
        label->setBuddy(text);
        form->addRow(label, text);
        m_rows.push_back({input, text});
        connect(text, &QLineEdit::textChanged, this, &ShapesDialog::check);
    }
}

Result<shapes::ShapeBinding> ShapesDialog::read(const Row &row) const
{
    return shapes::parseBinding(row.input.input + "=" + row.text->text().trimmed().toStdString());
}

std::vector<shapes::ShapeBinding> ShapesDialog::bindings() const
{
    std::vector<shapes::ShapeBinding> bindings;
    for (const Row &row : m_rows) {
        auto binding = read(row);
        if (binding && binding->dims != row.input.dims)
            bindings.push_back(std::move(*binding));
    }
    return bindings;
}

/// Says what is wrong with the first text that does not fit.
void ShapesDialog::check()
{
    QString fault;
    for (const Row &row : m_rows) {
        const auto binding = read(row);
        const auto &declared = row.input.dims;
        const QString name = ui::fromUtf8(row.input.input);
        if (!binding) {
            fault = tr("%1: extents are whole numbers from 1 on, or ?, with commas between them.")
                        .arg(name);
        } else if (!anyRank(row.input) && binding->dims.size() != declared.size()) {
            fault = tr("%1 has %2 axes, not %3.")
                        .arg(name)
                        .arg(declared.size())
                        .arg(binding->dims.size());
        } else if (!anyRank(row.input)) {
            for (std::size_t i = 0; i < declared.size(); ++i) {
                if (declared[i] >= 0 && binding->dims[i] >= 0 && declared[i] != binding->dims[i])
                    fault = tr("%1: the program declares extent %2 of axis %3.")
                                .arg(name)
                                .arg(declared[i])
                                .arg(i);
            }
        }
        if (!fault.isEmpty())
            break;
    }
    m_fault->setText(fault);
    m_buttons->button(QDialogButtonBox::Ok)->setEnabled(fault.isEmpty());
}

} // namespace kernscope::app

#include "moc_shapes_dialog.cpp"
