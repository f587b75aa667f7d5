// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/save_dialog.h"

#include "core/bundle/bundle.h"
#include "core/report/edit_table.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/row_table_model.h"
#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <set>

namespace kernscope::app {

namespace {

constexpr std::size_t kMaxRows = 2000;

} // namespace

SaveDialog::SaveDialog(const Bundle &bundle, const std::vector<WrittenRange> &ranges,
                       bool keepBackup, QWidget *parent)
    : QDialog(parent)
{
    setWindowTitle(tr("Save %1").arg(ui::fromUtf8(bundle.name())));
    std::uint64_t bytes = 0;
    std::set<std::string> files;
    for (const WrittenRange &range : ranges) {
        bytes += range.range.bytes.value;
        files.insert(range.file);
    }
    auto *rows = new QVBoxLayout(this);
    const QString places =
        ranges.size() == 1 ? tr("1 range") : tr("%1 ranges").arg(ui::groupedNumber(ranges.size()));
    const QString inFiles =
        files.size() == 1 ? tr("1 file") : tr("%1 files").arg(ui::groupedNumber(files.size()));
    auto *summary = new QLabel(tr("%1 B in %2 of %3 will be written. No other byte is touched.")
                                   .arg(ui::groupedNumber(bytes), places, inFiles),
                               this);
    summary->setWordWrap(true);
    rows->addWidget(summary);
    rows->addWidget(buildTable(bundle, ranges), 1);
    if (ranges.size() > kMaxRows)
        rows->addWidget(new QLabel(
            tr("and %1 more ranges").arg(ui::groupedNumber(ranges.size() - kMaxRows)), this));

    m_backup = new QCheckBox(tr("Keep a copy of each changed file beside the bundle, in %1.bak "
                                "(later ones in %1.bak.2 and so on)")
                                 .arg(ui::fromUtf8(bundle.name())),
                             this);
    m_backup->setChecked(keepBackup);
    rows->addWidget(m_backup);

    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Save | QDialogButtonBox::Cancel, this);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    m_save = buttons->button(QDialogButtonBox::Save);
    m_save->setDefault(true);
    rows->addWidget(buttons);
    resize(ui::theme::em(this, 44), ui::theme::em(this, 18));
}

QWidget *SaveDialog::buildTable(const Bundle &bundle, const std::vector<WrittenRange> &ranges)
{
    auto *model = new ui::RowTable<report::PendingRange>(report::pendingRangeTable(), this);
    model->setRows(report::pendingRangeRows(bundle, ranges, kMaxRows));
    auto *table = new QTableView(this);
    table->setAccessibleName(tr("Ranges that will be written"));
    table->setModel(model);
    ui::prepareTable(table);
    table->resizeColumnsToContents();
    // Names of files are whole; what the bytes are needs no more than its beginning.
    table->horizontalHeader()->setStretchLastSection(true);
    table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    return table;
}

void SaveDialog::setReady(bool ready)
{
    m_save->setEnabled(ready);
}

bool SaveDialog::keepBackup() const
{
    return m_backup->isChecked();
}

} // namespace kernscope::app

#include "moc_save_dialog.cpp"
