// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/byte_differences.h"
#include "widgets/common/dock.h"
#include "widgets/compare/shown_pair.h"

namespace kernscope::ui {

class ByteCompareView;
class ByteSectionModel;
class DifferenceStrip;
class ElidedLabel;

/// The bytes of both bundles side by side, file by file and section by section, with a way from
/// each difference to the next and an overview of all.
class BytesDock : public Dock
{
    Q_OBJECT

public:
    explicit BytesDock(Session &session, QWidget *parent = nullptr);

    /// A is the other bundle and B the document.
    void setSwapped(bool swapped);
    /// Pairs by hand: what the bytes of a weight are set against.
    void setChoices(const PairChoices &choices);
    bool swapped() const { return m_swapped; }
    /// The pair that Compare shows, as weights of A and B. Before the first move its bytes are
    /// shown; the common position stays.
    void setPair(std::size_t weightA, std::size_t weightB);

    /// Finds the differences also while the dock is hidden, for the list of them.
    void compareHidden();
    void goToRange(const DifferenceRun &run);
    bool goToNextDifference();
    bool goToPreviousDifference();

    ByteCompareView *view() const { return m_view; }
    DifferenceStrip *strip() const { return m_strip; }
    const ByteSectionModel &sections() const { return *m_model; }
    /// Null until every byte has been compared.
    const std::shared_ptr<const ByteDifferences> &differences() const { return m_differences; }

Q_SIGNALS:
    /// Null: they are looked for anew, or there is nothing to compare.
    void differencesChanged(const kernscope::AlignedBytesPtr &bytes,
                            const std::shared_ptr<const kernscope::ByteDifferences> &differences,
                            bool documentIsB);
    void comparisonCancelled();

protected:
    void refresh() override;
    void follow(const Place &place, QObject *origin) override;
    /// F8 goes through the bytes where the keyboard is in here, elsewhere through values.
    bool event(QEvent *event) override;

private:
    void buildActions();
    QWidget *buildToolRow(QWidget *parent);
    void connectParts();
    void align();
    void showAligned(AlignedBytesPtr bytes);
    void showDifferences(std::shared_ptr<const ByteDifferences> differences);
    void cancel();
    void forget();
    void fillFiles();
    void updateStrip();
    void onScrolled();
    void onCursor();
    bool goTo(const std::optional<DifferenceRun> &run);
    void showPair();
    bool showWeight(bool ofA, std::size_t weight);
    void tellPlace(std::uint64_t length);
    /// The bundle of the two that is the document, as it was aligned.
    const Bundle &document() const { return m_swapped ? *m_bytes->b : *m_bytes->a; }
    std::uint64_t offsetOfCursor() const;
    struct FileByte {
        bool ofA = true;
        std::size_t file = 0;
        std::uint64_t offset = 0;
    };
    std::optional<FileByte> byteUnderCursor() const;
    void showTable(bool shown);
    void listOnly();

    ByteCompareView *m_view = nullptr;
    DifferenceStrip *m_strip = nullptr;
    ByteSectionModel *m_model = nullptr;
    QTableView *m_table = nullptr;
    QStackedWidget *m_stack = nullptr;
    QComboBox *m_files = nullptr;
    ElidedLabel *m_summary = nullptr;
    ElidedLabel *m_readout = nullptr;
    QAction *m_next = nullptr, *m_previous = nullptr, *m_tableAction = nullptr;
    QAction *m_againAction = nullptr, *m_onlyAction = nullptr;
    AlignedBytesPtr m_bytes;
    BoundOrder m_order; ///< of the document's parts
    std::shared_ptr<const ByteDifferences> m_differences;
    Job m_task{session().tasks(), this}, m_listing{session().tasks(), this};
    PairChoices m_choices;
    bool m_swapped = false;
    bool m_current = false;                             ///< of the current bundles, or under way
    bool m_visited = false;                             ///< the cursor has been somewhere
    std::size_t m_pairA = kNoIndex, m_pairB = kNoIndex; ///< what Compare shows
};

} // namespace kernscope::ui
