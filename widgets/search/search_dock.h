// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/byte_table.h"
#include "widgets/common/dock.h"
#include "widgets/models/row_table_model.h"
#include "widgets/models/task_manager.h"

namespace kernscope::ui {

class ElidedLabel;

using SearchModel = RowTable<report::HitFacts>;

/// What a search hands over: the places, and the rows that show them.
struct SearchAnswer {
    Result<search::Found> found;
    std::vector<report::HitFacts> rows;
    QString question;    ///< what the fields said when it began
    bool ranked = false; ///< the largest magnitudes
};

/// Looks for bytes, text, integers, values, runs of zeros and codes out of range, in the chosen
/// weight or in the whole bundle, off the GUI thread. What it finds is a table whose rows are
/// places to go to.
class SearchDock final : public Dock
{
    Q_OBJECT

public:
    explicit SearchDock(Session &session, QWidget *parent = nullptr);

    /// In the order of the box; several are one kind of search in the core.
    enum SearchKind : int {
        Bytes,
        Text,
        Integer,
        Value,
        NotANumber,
        Infinite,
        Zeros,
        ZeroBytes,
        Top,
        OutOfRange
    };
    /// Looks for what needs no words, in the whole bundle.
    void startKind(SearchKind kind);
    /// Puts the cursor where one types what to look for.
    void begin();
    /// Starts with what the fields say, in place of a search that is running.
    void start();
    void cancel();

    SearchModel &model() { return *m_model; }
    QString message() const;

protected:
    void refresh() override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    void buildBar(QBoxLayout *bar, QWidget *parent);
    void buildTable();
    void buildActions();
    void showFields();
    QString question() const; ///< what the fields say, in words
    /// Kinds that are said by their name alone.
    static constexpr bool takesNothing(int kind)
    {
        return kind == NotANumber || kind == Infinite || kind == OutOfRange;
    }

    tl::expected<search::Query, QString> typedQuery() const;
    tl::expected<search::Query, QString> typedPattern() const;
    std::optional<search::Query> query(); ///< nothing where it says why
    void showPlaces(std::vector<report::HitFacts> rows);
    void deliver(const BundlePtr &bundle, const SearchAnswer &answer);
    void setWorking(bool working);
    void say(const QString &text);
    void goTo(const QModelIndex &index);
    void open(const QModelIndex &index);

    SearchModel *m_model;
    QComboBox *m_kind = nullptr, *m_scope = nullptr, *m_width = nullptr, *m_endian = nullptr;
    QLineEdit *m_pattern = nullptr, *m_tolerance = nullptr;
    QPushButton *m_start = nullptr;
    QProgressBar *m_progress = nullptr;
    ElidedLabel *m_message = nullptr;
    QTableView *m_table = nullptr;
    QTimer *m_clock = nullptr;
    Job m_task{session().tasks(), this};
    BundlePtr m_searched; ///< whose places the table has
    bool m_filling = false;
};

} // namespace kernscope::ui
