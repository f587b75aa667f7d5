// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/worst_places.h"
#include "widgets/compare/pair_pictures.h"
#include "widgets/models/task_manager.h"

#include <QStringList>

namespace kernscope::ui {

/// Pairs by hand by the names of their weights, so that they outlive edits and can be kept: of the
/// document and of the bundle beside it, whichever of them is A.
class PairChoices
{
public:
    /// The two are a pair; earlier answers about either are forgotten.
    void pair(const QString &ofDocument, const QString &ofOther) { add({ofDocument, ofOther}); }
    /// The weight has no partner.
    void leaveDocumentAlone(const QString &name) { add({name, {}}); }
    void leaveOtherAlone(const QString &name) { add({{}, name}); }
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

/// What pictures and figures of a pair need: a sample, whose range the colours of all three
/// pictures share, then all values once for the places that differ.
class ShownPair : public QObject
{
    Q_OBJECT

public:
    ShownPair(TaskManager &tasks, QObject *parent = nullptr);

    /// Looks at a pair that can be compared, in place of the one before.
    void look(const PairSubject &subject);
    void cancel();
    bool working() const;

Q_SIGNALS:
    /// In turn, unless something else is looked at; each may have an error instead
    /// (referred to, as Qt compares what signals carry, and errors do not compare).
    void sampled(const kernscope::ui::PairSubject &subject,
                 std::reference_wrapper<const kernscope::Result<kernscope::PairSample>> sample);
    void found(const kernscope::ui::PairSubject &subject,
               std::reference_wrapper<const kernscope::Result<kernscope::WorstPlaces>> places,
               double range);
    /// A person cancelled what the pair needs; `pictures`: the sample already.
    void cut(const kernscope::ui::PairSubject &subject, bool pictures);

private:
    void findPlaces(double range);

    PairSubject m_subject;
    Job m_sampling, m_locating;
};

} // namespace kernscope::ui
