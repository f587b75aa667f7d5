// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace kernscope::ui {

/// Texts that do not change, for very many of them: one behind the other in UTF-8, a third of the
/// memory of a QStringList. Copies share them. At most 4 GB.
class TextList
{
public:
    TextList() = default;
    explicit TextList(const QStringList &texts)
    {
        auto made = std::make_shared<Content>();
        made->ends.reserve(static_cast<std::size_t>(texts.size()));
        for (const QString &text : texts) {
            made->all += text.toUtf8();
            made->ends.push_back(static_cast<std::uint32_t>(made->all.size()));
        }
        made->all.squeeze();
        m_content = std::move(made);
    }

    qsizetype size() const
    {
        return m_content ? static_cast<qsizetype>(m_content->ends.size()) : 0;
    }
    bool isEmpty() const { return size() == 0; }
    void clear() { m_content = nullptr; }
    /// Not behind the last.
    QString operator[](qsizetype at) const
    {
        const auto &ends = m_content->ends;
        const auto place = static_cast<std::size_t>(at);
        const qsizetype from = at == 0 ? 0 : static_cast<qsizetype>(ends[place - 1]);
        return QString::fromUtf8(m_content->all.constData() + from,
                                 static_cast<qsizetype>(ends[place]) - from);
    }
    /// Empty behind the last.
    QString value(qsizetype at) const { return at >= 0 && at < size() ? (*this)[at] : QString(); }

private:
    struct Content {
        QByteArray all;
        std::vector<std::uint32_t> ends; ///< of each text
    };
    std::shared_ptr<const Content> m_content;
};

} // namespace kernscope::ui
