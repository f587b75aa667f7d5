// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/patch/plan/raw_place.h"
#include "core/report/task_table.h"
#include "widgets/common/qt_fwd.h"
#include "widgets/models/task_manager.h"
#include "widgets/weight/inspector_dock.h"

namespace kernscope::ui {

/// The 32 bits of a word, highest first, in two rows of 16: each with its digit, the named fields
/// separated by lines, the chosen one filled and framed, what no field names hatched.
///
/// A click picks the field of a bit; Left and Right go from field to field, Home and End to the
/// first and last of them.
class BitWordView final : public QWidget
{
    Q_OBJECT

public:
    explicit BitWordView(QWidget *parent);

    /// `fields` may be empty; those that hold a bit twice are drawn as the first of them.
    void setWord(std::uint32_t value, std::vector<descriptor::BitField> fields);
    /// The bits that are marked, both ends included; the whole word where low is 0 and high 31.
    void setChosen(unsigned low, unsigned high);
    /// Index into the fields; -1: none has that bit.
    int fieldOf(unsigned bit) const;
    QRectF cellOf(unsigned bit) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void fieldPicked(unsigned low, unsigned high); ///< by the person

protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    bool event(QEvent *event) override;

private:
    int bitAt(const QPointF &place) const; ///< -1: none
    void drawBit(QPainter &painter, unsigned bit) const;
    void drawEnds(QPainter &painter) const;
    void pick(int field);
    void announce();

    std::uint32_t m_value = 0;
    std::vector<descriptor::BitField> m_fields; ///< by their lowest bits, rising
    unsigned m_low = 0, m_high = 31;
};

/// A register of a task, or the field of it that begins at a bit, in words: "bits 5 to 3, now 2:
/// fp16", and in a line of its own what its values mean, where it has few and they have names.
QString fieldWords(const Bundle &bundle, FileOffset at, const std::optional<BitRun> &bits);

class FieldModel;
class PanelSection;

/// What the inspector says of a register of a task, or of one of its fields: its value and what
/// that means, its bits within the word, what the row is known by, and the same field in every
/// task, each row a link.
class FieldPanel final : public InspectorPanel
{
    Q_OBJECT

public:
    explicit FieldPanel(Session &session, QWidget *parent = nullptr);

    bool showPlace(const BundlePtr &bundle, const Place &place) override;
    QString title() const override { return m_title; }
    bool working() const override { return m_job.running(); }
    void clear() override;

    const BitWordView &bits() const { return *m_bits; }
    FieldModel &values() { return *m_values; }
    QTableView &table() { return *m_table; }
    QString summary() const; ///< "2 values in 12 tasks"
    QString facts() const;   ///< what it is known by, a line each

private:
    void showWord();
    void showFacts(const descriptor::BitField *field);
    void addFact(const QString &name, const QString &value);
    void readValues();
    void showValues(std::vector<report::FieldRow> rows);
    void goToTask(const QModelIndex &index);
    void chooseBits(unsigned low, unsigned high);
    const descriptor::BitField *fieldNow() const;
    Place placeOf(std::uint64_t word) const;

    Session &m_session;
    BundlePtr m_bundle;
    patch::TaskNumber m_task;
    patch::TaskWord m_word;
    unsigned m_low = 0, m_high = 31;
    report::FieldQuery m_asked; ///< of the rows shown or being read
    bool m_hasRows = false, m_following = false;
    Job m_job{m_session.tasks()};
    QString m_title;
    QStringList m_factLines;
    QLabel *m_name = nullptr, *m_where = nullptr, *m_value = nullptr, *m_meaning = nullptr;
    BitWordView *m_bits = nullptr;
    QPointer<QWidget> m_factBody;
    QGridLayout *m_factRows = nullptr;
    PanelSection *m_factSection = nullptr, *m_taskSection = nullptr;
    FieldModel *m_values = nullptr;
    QTableView *m_table = nullptr;
    QLabel *m_summary = nullptr;
};

} // namespace kernscope::ui
