// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/weight_detail.h"
#include "widgets/models/row_table_model.h"

namespace kernscope::ui {

/// Entries of one codebook: index, code, values, uses, share, and what is odd about an entry.
class CodebookModel final : public RowTableModel
{
    Q_OBJECT

public:
    enum Column : int { IndexColumn, CodeColumn, FirstValueColumn };

    explicit CodebookModel(QObject *parent = nullptr);

    /// `codebook` stays the same where the data has it.
    void setData(CodebookData data);
    void setUses(std::vector<std::uint64_t> uses);
    void clear() { setData(CodebookData{}); }
    const CodebookData &content() const { return m_data; }
    std::uint64_t codebook() const { return m_codebook; }
    void setCodebook(std::uint64_t codebook);
    void setEditable(bool editable) { m_editable = editable; }

    double value(int entry, int lane = 0) const;
    std::optional<std::uint64_t> uses(int entry) const; ///< empty until counted
    /// The first entry of the same values; empty where there is none before it.
    std::optional<int> duplicateOf(int entry) const;
    bool changed(int entry, int lane) const;

    bool setData(const QModelIndex &index, const QVariant &value, int role) override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;
    Qt::ItemFlags flags(const QModelIndex &index) const override;

Q_SIGNALS:
    void editRequested(quint64 codebook, quint64 entry, quint64 lane, double value);

protected:
    std::size_t rowTotal() const override { return static_cast<std::size_t>(m_data.entries); }
    report::Value valueOf(std::size_t entry, std::size_t column) const override;
    std::string originOf(std::size_t entry, std::size_t column) const override;
    report::SortValue orderOf(std::size_t entry, std::size_t column) const override;
    QVariant lookOf(std::size_t entry, int column, int role) const override;

private:
    std::size_t at(int entry, int lane) const;
    bool isValue(int column) const
    {
        return column >= FirstValueColumn && column < FirstValueColumn + m_lanes;
    }
    QString note(int entry) const;
    void measureRange();
    void findDuplicates();

    WindowColumns<report::BookEntry> m_columns;
    CodebookData m_data;
    std::uint64_t m_codebook = 0;
    int m_lanes = 1;
    double m_range = 1; ///< magnitude of the full colour
    std::uint64_t m_total = 0;
    std::vector<std::size_t> m_duplicateOf; ///< kNoIndex: none
    bool m_editable = false;
};

/// A row a scale: where along the weight, its value, its zero point. Editable while unlocked.
class ScaleModel final : public DeclaredTable<report::ScaleRow>
{
    Q_OBJECT

public:
    enum Column : int { PlaceColumn, ScaleColumn, ZeroColumn, ExponentColumn, BiasColumn };

    explicit ScaleModel(QObject *parent = nullptr) : DeclaredTable(report::scaleTable, parent) {}

    void setScales(ScaleData data);
    const ScaleData &content() const { return m_data; }
    void setEditable(bool editable) { m_editable = editable; }
    /// The scale and the zero point that a row shows.
    quint64 scaleAt(int row) const
    {
        return m_data.scales.size() == 1 ? 0 : static_cast<quint64>(row);
    }
    auto zeroAt(int row) const { return m_data.zeroPlace(static_cast<std::size_t>(row)); }

    bool setData(const QModelIndex &index, const QVariant &value, int role) override;
    Qt::ItemFlags flags(const QModelIndex &index) const override;
    void sort(int, Qt::SortOrder = Qt::AscendingOrder) override {} // they run along the weight

Q_SIGNALS:
    void scaleEdited(quint64 scale, double value);
    void zeroEdited(quint64 zero, qint64 code);

protected:
    std::size_t rowTotal() const override { return m_data.rows(); }
    report::ScaleRow factsOf(std::size_t row) const override { return {&m_data, row}; }
    QVariant lookOf(std::size_t row, int column, int role) const override;

private:
    ScaleData m_data;
    bool m_editable = false;
};

} // namespace kernscope::ui
