// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/pair_choices.h"

#include "core/bundle/bundle.h"

#include <optional>

namespace kernscope::ui {

void PairChoices::add(const Choice &choice)
{
    std::erase_if(m_choices, [&](const Choice &before) {
        return (!choice.document.isEmpty() && before.document == choice.document) ||
               (!choice.other.isEmpty() && before.other == choice.other);
    });
    m_choices.push_back(choice);
}

void PairChoices::pair(const QString &ofDocument, const QString &ofOther)
{
    add({ofDocument, ofOther});
}

void PairChoices::leaveDocumentAlone(const QString &name)
{
    add({name, {}});
}

void PairChoices::leaveOtherAlone(const QString &name)
{
    add({{}, name});
}

std::vector<PairChoice> PairChoices::resolve(const Bundle &document, const Bundle &other,
                                             bool swapped) const
{
    const auto weight = [](const Bundle &bundle,
                           const QString &name) -> std::optional<std::size_t> {
        return name.isEmpty() ? std::optional(kNoIndex) : bundle.weightByName(name.toStdString());
    };
    std::vector<PairChoice> resolved;
    for (const Choice &choice : m_choices) {
        const auto ofDocument = weight(document, choice.document);
        const auto ofOther = weight(other, choice.other);
        if (ofDocument && ofOther)
            resolved.push_back(swapped ? PairChoice{*ofOther, *ofDocument}
                                       : PairChoice{*ofDocument, *ofOther});
    }
    return resolved;
}

QStringList PairChoices::names() const
{
    QStringList list;
    for (const Choice &choice : m_choices)
        list << choice.document << choice.other;
    return list;
}

PairChoices PairChoices::fromNames(const QStringList &names)
{
    PairChoices choices;
    for (qsizetype i = 0; i + 1 < names.size(); i += 2) {
        if (!names[i].isEmpty() || !names[i + 1].isEmpty())
            choices.add({names[i], names[i + 1]});
    }
    return choices;
}

} // namespace kernscope::ui
