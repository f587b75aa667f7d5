// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/compare.h"

#include <QString>
#include <QStringList>

#include <vector>

namespace kernscope::ui {

/// Pairs by hand by the names of their weights, so that they outlive edits and can be kept: of the
/// document and of the bundle beside it, whichever of them is A.
class PairChoices
{
public:
    /// The two are a pair; what was said of either before is forgotten.
    void pair(const QString &ofDocument, const QString &ofOther);
    /// The weight has no partner.
    void leaveDocumentAlone(const QString &name);
    void leaveOtherAlone(const QString &name);
    void clear() { m_choices.clear(); }
    bool empty() const { return m_choices.empty(); }

    /// For pairWeights(); names that no weight has are left out.
    std::vector<PairChoice> resolve(const Bundle &document, const Bundle &other,
                                    bool swapped) const;

    /// The name in the document and that in the other bundle, by turns; one of the two may be
    /// empty.
    QStringList names() const;
    static PairChoices fromNames(const QStringList &names);
    friend bool operator==(const PairChoices &, const PairChoices &) = default;

private:
    struct Choice {
        QString document, other;
        friend bool operator==(const Choice &, const Choice &) = default;
    };
    void add(const Choice &choice);

    std::vector<Choice> m_choices;
};

} // namespace kernscope::ui
