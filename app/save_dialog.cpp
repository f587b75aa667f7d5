// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/save_dialog.h"

#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <set>

namespace kernscope::app {

namespace {

constexpr std::size_t kMaxRows = 2000;
constexpr std::uint64_t kShownBytes = 8; ///< of a range

QTableWidgetItem *cell(const QString &text, Qt::Alignment alignment)
{
    auto *item = new QTableWidgetItem(text);
    item->setTextAlignment(alignment | Qt::AlignVCenter);
    item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
    return item;
}

/// "3c 00 41 …": the first bytes of a range, as they are on disk or as they will be.
QString firstBytes(const OverlaidFile &file, ByteRange range, bool onDisk)
{
    QStringList words;
    const std::uint64_t shown = std::min(range.bytes.value, kShownBytes);
    for (std::uint64_t i = 0; i < shown; ++i) {
        const FileOffset offset(range.offset.value + i);
        const std::byte value = onDisk ? file.diskByte(offset) : file.bytes()[offset.value];
        words += QStringLiteral("%1").arg(std::to_integer<uint>(value), 2, 16, QLatin1Char('0'));
    }
    if (shown < range.bytes.value)
        words += QStringLiteral("\u2026");
    return words.join(QLatin1Char(' '));
}

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

    m_backup = new QCheckBox(
        tr("Keep a copy of each changed file beside the bundle, in %1.bak (first save only)")
            .arg(ui::fromUtf8(bundle.name())),
        this);
    m_backup->setChecked(keepBackup);
    rows->addWidget(m_backup);

    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Save | QDialogButtonBox::Cancel, this);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    buttons->button(QDialogButtonBox::Save)->setDefault(true);
    rows->addWidget(buttons);
    resize(ui::theme::em(this, 44), ui::theme::em(this, 18));
}

QWidget *SaveDialog::buildTable(const Bundle &bundle, const std::vector<WrittenRange> &ranges)
{
    const int count = static_cast<int>(std::min(ranges.size(), kMaxRows));
    auto *table = new QTableWidget(count, 5, this);
    table->setAccessibleName(tr("Ranges that will be written"));
    table->setHorizontalHeaderLabels(
        {tr("File"), tr("Offset"), tr("Bytes"), tr("On disk"), tr("Becomes")});
    table->verticalHeader()->hide();
    table->setTabKeyNavigation(false); // Tab goes on to the buttons
    table->verticalHeader()->setDefaultSectionSize(ui::theme::em(this, 1.5));
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    for (int row = 0; row < count; ++row) {
        const WrittenRange &range = ranges[static_cast<std::size_t>(row)];
        table->setItem(row, 0, cell(ui::fromUtf8(range.file), Qt::AlignLeft));
        table->setItem(row, 1, cell(ui::hexNumber(range.range.offset.value), Qt::AlignRight));
        table->setItem(row, 2, cell(ui::groupedNumber(range.range.bytes.value), Qt::AlignRight));
        if (const auto at = bundle.fileByPath(range.file)) {
            const OverlaidFile &file = *bundle.files()[*at].file;
            table->setItem(row, 3, cell(firstBytes(file, range.range, true), Qt::AlignLeft));
            table->setItem(row, 4, cell(firstBytes(file, range.range, false), Qt::AlignLeft));
        }
    }
    table->resizeColumnsToContents();
    // Names of files are whole; what the bytes are needs no more than its beginning.
    table->horizontalHeader()->setStretchLastSection(true);
    table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    return table;
}

bool SaveDialog::keepBackup() const
{
    return m_backup->isChecked();
}

} // namespace kernscope::app
