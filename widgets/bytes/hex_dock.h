// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/dock.h"
#include "widgets/models/byte_models.h"
#include "widgets/models/task_manager.h"

namespace kernscope::ui {

class HexFindBar;
class HexView;
class SectionStrip;
class InspectorView;

/// The bytes of one file of the bundle, what they are, and every reading of those under the cursor.
class HexDock final : public Dock
{
    Q_OBJECT

public:
    explicit HexDock(Session &session, QWidget *parent = nullptr);

protected:
    void refresh() override;
    void follow(const Place &place, QObject *origin) override;
    bool working() const override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void elideField();
    QString shortReadings() const;
    void buildBar(QBoxLayout *bar, QWidget *content);
    void buildActions();
    void connectParts();
    void showFile(std::size_t file);
    void countMask();
    void describeCursor();
    void pick(const ByteRange &range);
    void goToTyped();
    void copyAs(CopyFormat format);
    void copyInspected();
    void arrange();
    void typeDigit(QChar key);
    void changeBytes(std::uint64_t offset, std::vector<std::byte> bytes);
    void askForBytes();

    QWidget *m_content = nullptr;
    QComboBox *m_files = nullptr;
    QLineEdit *m_goTo = nullptr;
    QLabel *m_selection = nullptr;
    HexView *m_view = nullptr;
    InspectorModel *m_readings = nullptr;
    SectionStrip *m_strip = nullptr; ///< the file as a minimap
    InspectorView *m_inspector = nullptr;
    QBoxLayout *m_body = nullptr;
    HexFindBar *m_find = nullptr;
    QLabel *m_field = nullptr;
    QString m_fieldText;             ///< the label shows it elided
    std::optional<int> m_firstDigit; ///< of the byte that is being typed
    QActionGroup *m_widths = nullptr;
    bool m_widthChosen = false; ///< of the rows, by the user
    Job m_counting{session().tasks()};
    const codec::Operand *m_counted = nullptr; ///< the mask that it counts
};

} // namespace kernscope::ui
