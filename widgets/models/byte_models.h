// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/byte_table.h"
#include "core/report/structure_table.h"
#include "widgets/models/row_table_model.h"

namespace kernscope::ui {

/// How selected bytes go to the clipboard.
enum class CopyFormat : std::uint8_t { Hex, CArray, PythonBytes, NumPy };

/// Runs longer than this are not copied as text: 8 MiB.
inline constexpr std::uint64_t kMostBytesAsText = 8u << 20;

/// "9c 3f 00", sixteen a line; a C array; a Python bytes literal; a NumPy expression that gives an
/// array of `type` (uint8 where the type has no NumPy twin or the length does not divide).
QString bytesAsText(std::span<const std::byte> bytes, CopyFormat format,
                    ElementType type = ElementType::Uint8);

/// "0x40", "40h", "64", "1_000", "1,000": an offset as people type it. `text` may begin with + or
/// -, meant from `cursor`, or be "end" of `size`. Nothing where it is not a number or leaves the
/// file.
std::optional<std::uint64_t> parseOffset(const QString &text, std::uint64_t cursor,
                                         std::uint64_t size);

/// Every section of every file of the bundle, a row each; hundreds of thousands of rows answer
/// within a frame.
class SectionModel final : public DeclaredTable<report::SectionFacts>
{
    Q_OBJECT

public:
    explicit SectionModel(QObject *parent = nullptr) : DeclaredTable(report::sectionTable, parent)
    {
    }

    /// The bundle, another one, none, or the same one after an edit. Rows that stay keep their
    /// place where there are as many sections as before.
    void setBundle(BundlePtr bundle);
    const BundlePtr &bundle() const { return m_bundle; }

    std::size_t sectionAt(int row) const; ///< index into Bundle::sections(), or kNoIndex

protected:
    std::size_t rowTotal() const override;
    report::SectionFacts factsOf(std::size_t row) const override
    {
        return {m_bundle.get(), &m_bundle->sections()[row]};
    }
    QVariant lookOf(std::size_t row, int column, int role) const override;

private:
    BundlePtr m_bundle;
};

/// "weights/weight.bin, 0x2b080 to 0x2bc7f, 3,072 bytes" and the like: what a section is, in lines.
QString describeSection(const Bundle &bundle, std::size_t section);

/// The aligned sections of two bundles as a table: where each lies on either side, and how many of
/// its bytes differ. The readable twin of the bytes side by side.
class ByteSectionModel final : public RowTable<report::AlignedSectionFacts>
{
public:
    explicit ByteSectionModel(QObject *parent = nullptr);

    void setBytes(AlignedBytesPtr bytes);
    /// Null: not known yet.
    void setDifferences(std::shared_ptr<const ByteDifferences> differences);

    /// Index into ByteAlignment::sections() of the row shown; kNoIndex for none.
    std::size_t sectionAt(int row) const { return row >= 0 ? sourceRow(row) : kNoIndex; }

private:
    void showRows();

    AlignedBytesPtr m_bytes;
    std::shared_ptr<const ByteDifferences> m_differences;
};

/// The bytes under the cursor in every reading, a row each, as the command `bytes` prints them: the
/// columns of report::readingTable, the value in the byte order that the view has chosen.
class InspectorModel final
    : public DeclaredTable<report::ReadingFacts, const report::ReadingFacts &>
{
    Q_OBJECT

public:
    explicit InspectorModel(QObject *parent = nullptr);

    /// Up to eight bytes, from the cursor on. Rows stay where they are.
    void setBytes(std::span<const std::byte> bytes);
    /// The highest byte of a number comes first.
    void setBigEndian(bool big) { m_big = big; }
    int nameColumn() const { return columnOf("name"); }
    int valueColumn() const { return columnOf(m_big ? "big_endian" : "little_endian"); }
    QString name(int row) const { return index(row, nameColumn()).data().toString(); }
    QString value(int row) const { return index(row, valueColumn()).data().toString(); }

    /// Characters of the longest value that the reading in that row can have.
    int longestValue(int row) const { return m_rows[sourceRow(row)].little.longest; }

protected:
    std::size_t rowTotal() const override { return m_rows.size(); }
    const report::ReadingFacts &factsOf(std::size_t row) const override { return m_rows[row]; }
    QVariant lookOf(std::size_t row, int column, int role) const override;

private:
    std::vector<report::ReadingFacts> m_rows;
    bool m_big = false;
};

} // namespace kernscope::ui
