// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/picked_element_table.h"

#include "core/bundle/bundle.h"
#include "core/bundle/byte_field.h"
#include "core/diff/value_difference.h"

#include <cmath>
#include <optional>

#include <fmt/format.h>

namespace kernscope::report {

namespace {

const Weight &sideWeight(const PickedSide &side)
{
    return side.bundle->weights()[side.weight];
}

/// As many digits as tell a number of the type from the next one.
Value numberOf(const PickedSide &side, double value)
{
    if (std::isnan(value))
        return std::string("nan"); // whatever its sign
    const ElementType type = sideWeight(side).type;
    const bool narrow = bitWidth(type) <= 16 && isFloatingPoint(type);
    return fmt::format("{:.{}g}", value, narrow ? 5 : 9);
}

Value indexOf(const PickedSide &side)
{
    return indexText(sideWeight(side).shape, side.element);
}

Value storedCodeOf(const PickedSide &side)
{
    if (!side.stored->stored)
        return Word{"left out by the mask"};
    return side.stored->code ? Value(fmt::format("{}", *side.stored->code)) : Value(Unknown());
}

Value codebookOf(const PickedSide &side)
{
    return side.stored->entry ? known<Count>(side.stored->codebook) : Value(Unknown());
}

Value entryOf(const PickedSide &side)
{
    return side.stored->entry ? numberOf(side, *side.stored->entry) : Value(Unknown());
}

Value bytesOf(const PickedSide &side)
{
    std::string text;
    for (const std::byte byte : side.stored->bytes)
        text += fmt::format("{}{:02x}", text.empty() ? "" : " ", std::to_integer<unsigned>(byte));
    return text.empty() ? Value(Unknown()) : Value(std::move(text));
}

Value elementOffsetOf(const PickedSide &side)
{
    return side.stored->place ? Value(Hex{side.stored->place->bytes.offset.value})
                              : Value(Unknown());
}

Value fileOf(const PickedSide &side)
{
    const auto &place = side.stored->place;
    return place && place->file < side.bundle->files().size()
               ? Value(side.bundle->files()[place->file].path)
               : Value(Unknown());
}

/// The rows, in the order in which they are added.
class PickedRows
{
public:
    PickedRows(const PickedSide &a, const PickedSide &b) : m_a(a), m_b(b) {}

    /// A row that is there even where neither side knows it.
    void add(const char *what, Value (*of)(const PickedSide &))
    {
        m_rows.push_back({Word{what}, ofSide(m_a, of), ofSide(m_b, of)});
    }
    void addKnown(const char *what, Value (*of)(const PickedSide &))
    {
        add(what, of);
        const PickedFact &row = m_rows.back();
        if (std::holds_alternative<Unknown>(row.a) && std::holds_alternative<Unknown>(row.b))
            m_rows.pop_back();
    }
    void addDistance()
    {
        const double a = m_a.stored->value, b = m_b.stored->value, distance = b - a;
        const ElementType type = sideWeight(m_a).type;
        Value text = Word{"not finite"};
        if (a == b || (std::isnan(a) && std::isnan(b)))
            text = Word{"equal"};
        else if (std::isfinite(distance))
            text = fmt::format("{:.5g}", distance);
        addOfBoth(Word{"B \u2212 A"}, std::move(text));
        if (a != 0 && a != b && std::isfinite(distance))
            addOfBoth(Word{"(B \u2212 A) / |A|"}, fmt::format("{:.3g}", distance / std::abs(a)));
        if (std::isfinite(a) && std::isfinite(b))
            addOfBoth(Word{"Steps", Mark::None, std::string(elementTypeName(type))},
                      Count{ulpDistance(type, a, b)});
    }
    std::vector<PickedFact> take() { return std::move(m_rows); }

private:
    static Value ofSide(const PickedSide &side, Value (*of)(const PickedSide &))
    {
        return side.bundle != nullptr && side.stored != nullptr ? of(side) : Value(Unknown());
    }
    void addOfBoth(Word what, Value value)
    {
        m_rows.push_back({std::move(what), Nothing(), std::move(value)});
    }

    const PickedSide &m_a, &m_b;
    std::vector<PickedFact> m_rows;
};

} // namespace

std::vector<PickedFact> pickedElementRows(const PickedSide &a, const PickedSide &b, bool comparable)
{
    PickedRows rows(a, b);
    rows.add("Index", indexOf);
    rows.addKnown("Value",
                  [](const PickedSide &side) { return numberOf(side, side.stored->value); });
    if (comparable && a.stored != nullptr && b.stored != nullptr)
        rows.addDistance();
    rows.addKnown("Code", storedCodeOf);
    rows.addKnown("Codebook", codebookOf);
    rows.addKnown("Entry", entryOf);
    rows.addKnown("Bytes", bytesOf);
    rows.addKnown("Offset", elementOffsetOf);
    rows.add("File", fileOf);
    return rows.take();
}

const TableOf<PickedFact> &pickedElementTable()
{
    using Row = PickedFact;
    static constexpr Column<Row> kColumns[] = {
        {"what", "element", "What is said of the picked element",
         [](const Row &row) { return row.what; }},
        {"a", "A", "The element as A stores it", [](const Row &row) { return row.a; }},
        {"b", "B", "The element as B stores it", [](const Row &row) { return row.b; }},
    };
    static const TableOf<Row> kTable{"element", kColumns};
    return kTable;
}

} // namespace kernscope::report
