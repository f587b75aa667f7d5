// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bound_shapes.h"
#include "widgets/common/qt_fwd.h"

#include <QDialog>

namespace kernscope::app {

/// Asks for the shapes of the inputs that a program leaves open.
class ShapesDialog : public QDialog
{
    Q_OBJECT

public:
    /// `bound`: what is bound now.
    ShapesDialog(const std::vector<shapes::OpenInput> &inputs,
                 const std::vector<shapes::ShapeBinding> &bound, QWidget *parent = nullptr);

    /// What is asked for: inputs whose text is another one than the declared shape.
    std::vector<shapes::ShapeBinding> bindings() const;

private:
    struct Row {
        shapes::OpenInput input;
        QLineEdit *text = nullptr;
    };
    void addFields(QWidget &fields, const std::vector<shapes::OpenInput> &inputs,
                   const std::vector<shapes::ShapeBinding> &bound);
    Result<shapes::ShapeBinding> read(const Row &row) const;
    void check();

    std::vector<Row> m_rows;
    QLabel *m_fault = nullptr;
    QDialogButtonBox *m_buttons = nullptr;
};

} // namespace kernscope::app
