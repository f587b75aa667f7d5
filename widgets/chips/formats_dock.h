// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/format_table.h"
#include "widgets/common/dock.h"
#include "widgets/models/row_table_model.h"

namespace kernscope::ui {

class ChipState;

/// The kernel-format enum as a table: searchable, with every column of the facts, and whether the
/// session's chip can encode a weight in each format, or the rule that refuses. The boxes hold the
/// chip's figures and may be set otherwise, to see what would change. A second page has the other
/// numberings of element types, a third what else is known of formats and descriptors, a table a
/// subject, a fourth every fact of the embedded tables. It needs no bundle.
class FormatsDock final : public Dock
{
    Q_OBJECT

public:
    explicit FormatsDock(Session &session, QWidget *parent = nullptr);

    RowTable<report::KernelFormatFacts> &model() { return *m_model; }
    QTableView &table() { return *m_table; }
    QLineEdit &filter() { return *m_filter; }
    QSpinBox &version() { return *m_version; }
    RowTableModel &elementTypes() { return *m_types; }
    /// Every row of the tables of facts; filled when its page is shown.
    RowTableModel &facts() { return *m_facts; }
    QTabWidget &tabs() { return *m_tabs; }
    /// The tables of the page Rules, by name, and the one that is shown.
    QComboBox &ruleTables() { return *m_ruleTables; }
    QTableView &ruleTable() { return *m_ruleTable; }

protected:
    void refresh() override;

private:
    QWidget *buildFormats(QWidget *parent);
    QWidget *buildTypes(QWidget *parent);
    QWidget *buildRules(QWidget *parent);
    QWidget *buildImage(QWidget *parent);
    template <class Row>
    void addRules(const QString &name, const report::TableOf<Row> &table,
                  std::function<std::vector<Row>()> rows);
    void showRules();
    QWidget *buildFacts(QWidget *parent);
    void fillFacts();
    void buildChoosers(QWidget *parent);
    void buildActions();
    void filterBy(const QString &words);
    void followChip();
    void choose();
    void explain();

    ChipState &m_state;
    RowTable<report::KernelFormatFacts> *m_model = nullptr;
    RowTable<report::ElementTypeFacts> *m_types = nullptr;
    RowTable<report::EmbeddedFact> *m_facts = nullptr;
    struct RuleTable {
        RowTableModel *model = nullptr;
        std::function<void()> fill;
    };
    std::vector<RuleTable> m_rulesOf; ///< by the place of its name
    QComboBox *m_ruleTables = nullptr;
    QTableView *m_ruleTable = nullptr;
    RowTableModel *m_imageGroups = nullptr; ///< of version 10
    QWidget *m_image = nullptr;             ///< above these
    QTabWidget *m_tabs = nullptr;
    QLineEdit *m_filter = nullptr;
    QSpinBox *m_version = nullptr, *m_vector = nullptr, *m_codebooks = nullptr;
    QComboBox *m_e4m3 = nullptr;
    QCheckBox *m_zeroPoint = nullptr;
    QTableView *m_table = nullptr, *m_typeTable = nullptr, *m_factTable = nullptr;
    QLabel *m_rules = nullptr;
};

} // namespace kernscope::ui
