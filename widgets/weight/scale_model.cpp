// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/weight/scale_model.h"

#include "core/base/error_builder.h"
#include "core/form/encoding.h"
#include "widgets/common/table_text.h"
#include "widgets/weight/weight_words.h"

#include <algorithm>
#include <limits>

namespace kernscope::ui {

namespace {

constexpr std::uint64_t kProgressEvery = 1u << 14;

Result<std::vector<double>> valuesOf(const Bundle &bundle, codec::Operand operand,
                                     Progress &progress)
{
    operand.bytes = bundle.operandBytes(operand);
    std::uint64_t count = 1;
    for (const std::uint64_t extent : operand.shape)
        count *= extent; // the reader checked the product against the operand's bytes
    std::vector<double> values;
    values.reserve(count);
    for (std::uint64_t i = 0; i < count; ++i) {
        if (i % kProgressEvery == 0 && progress.cancelled()) {
            return ErrorBuilder("task.cancelled").message("cancelled").unexpected();
        }
        values.push_back(
            codec::operandValue(operand, i).value_or(std::numeric_limits<double>::quiet_NaN()));
    }
    return values;
}

} // namespace

bool ScaleData::has(const Weight &weight)
{
    const codec::Operand *scale = weight.operand(codec::PartRole::Scale);
    return scale != nullptr && scale->type != ElementType::Unknown;
}

Result<ScaleData> ScaleData::read(const Bundle &bundle, std::size_t index, Progress &progress)
{
    const Weight &weight = bundle.weights()[index];
    const codec::Operand *scale = weight.operand(codec::PartRole::Scale);
    if (!scale) {
        return ErrorBuilder("scale.none").message("The weight has no scales.").unexpected();
    }
    ScaleData data;
    data.shape = scale->shape;
    auto scales = valuesOf(bundle, *scale, progress);
    if (!scales)
        return tl::unexpected(scales.error());
    data.scales = std::move(*scales);
    for (const auto role : {codec::PartRole::ZeroPoint, codec::PartRole::Offset}) {
        const codec::Operand *zero = weight.operand(role);
        if (!zero)
            continue;
        auto zeros = valuesOf(bundle, *zero, progress);
        if (!zeros)
            return tl::unexpected(zeros.error());
        data.zeros = std::move(*zeros);
        data.zeroPoints = role == codec::PartRole::ZeroPoint;
        break;
    }
    if (const codec::Scaling *scaling = weight.form.scaling())
        data.axis = scaling->axis;
    return data;
}

std::optional<double> ScaleData::zeroOf(std::size_t scale) const
{
    if (zeros.size() == scales.size())
        return zeros[scale];
    return zeros.size() == 1 ? std::optional(zeros.front()) : std::nullopt;
}

QString ScaleData::placeOf(std::size_t scale) const
{
    QStringList indices;
    std::uint64_t rest = scale;
    for (auto extent = shape.rbegin(); extent != shape.rend(); ++extent) {
        if (*extent > 1)
            indices.prepend(QString::number(rest % *extent));
        rest /= std::max<std::uint64_t>(*extent, 1);
    }
    return indices.isEmpty() ? QString::number(scale) : indices.join(QStringLiteral(", "));
}

void ScaleModel::setScales(ScaleData data)
{
    // The same scales after an edit: what is chosen stays chosen.
    if (!data.scales.empty() && data.scales.size() == m_data.scales.size()) {
        m_data = std::move(data);
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
        return;
    }
    beginResetModel();
    m_data = std::move(data);
    endResetModel();
}

int ScaleModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0
                            : static_cast<int>(std::min<std::size_t>(
                                  m_data.scales.size(), std::numeric_limits<int>::max()));
}

int ScaleModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant ScaleModel::data(const QModelIndex &at, int role) const
{
    if (!at.isValid() || at.row() >= rowCount())
        return {};
    const auto row = static_cast<std::size_t>(at.row());
    const auto zero = m_data.zeroOf(row);
    switch (role) {
    case Qt::DisplayRole:
    case CopyRole:
    case Qt::EditRole:
        if (at.column() == PlaceColumn)
            return m_data.placeOf(row);
        if (at.column() == ScaleColumn)
            return valueText(m_data.scales[row]);
        return zero ? valueText(*zero) : QStringLiteral("\u2013");
    case SortRole:
        if (at.column() == PlaceColumn)
            return at.row();
        return at.column() == ScaleColumn ? QVariant(m_data.scales[row])
                                          : QVariant(zero.value_or(0));
    case Qt::ToolTipRole:
        return at.column() == ScaleColumn ? QString::number(m_data.scales[row], 'g', 17)
                                          : QVariant();
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(Qt::Alignment(Qt::AlignRight | Qt::AlignVCenter));
    default: return {};
    }
}

bool ScaleModel::setData(const QModelIndex &at, const QVariant &value, int role)
{
    if (role != Qt::EditRole || !(flags(at) & Qt::ItemIsEditable))
        return false;
    bool number = false;
    if (at.column() == ScaleColumn) {
        const double wanted = value.toString().trimmed().toDouble(&number);
        if (number)
            Q_EMIT scaleEdited(static_cast<quint64>(at.row()), wanted);
        return number;
    }
    const qlonglong code = value.toString().trimmed().toLongLong(&number);
    if (number)
        Q_EMIT zeroEdited(m_data.zeros.size() == 1 ? 0 : static_cast<quint64>(at.row()), code);
    return number;
}

QVariant ScaleModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(Qt::Alignment(Qt::AlignRight | Qt::AlignVCenter));
    switch (section) {
    case PlaceColumn:
        return HeaderText{tr("At"), tr("Index of the scale along the axes that it varies on")}.data(
            role);
    case ScaleColumn: return HeaderText{tr("Scale"), tr("What a code is multiplied by")}.data(role);
    default:
        return HeaderText{m_data.zeros.empty() || m_data.zeroPoints ? tr("Zero point")
                                                                    : tr("Offset"),
                          tr("What is subtracted from a code before it is scaled")}
            .data(role);
    }
}

Qt::ItemFlags ScaleModel::flags(const QModelIndex &at) const
{
    Qt::ItemFlags flags = QAbstractTableModel::flags(at);
    const bool zero = at.column() == ZeroColumn && at.isValid() &&
                      m_data.zeroOf(static_cast<std::size_t>(at.row())).has_value();
    if (m_editable && (at.column() == ScaleColumn || zero))
        flags |= Qt::ItemIsEditable;
    return flags;
}

} // namespace kernscope::ui
