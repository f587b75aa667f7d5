// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/assess.h"
#include "core/base/compact.h"
#include "core/base/compact_shared.h"
#include "core/base/shared_value.h"
#include "core/codec/encode/encoder.h"
#include "core/codec/encode/form_spec.h"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// The forms that a weight may take, with their figures.
namespace kernscope::plan {

/// A weight in a form on a chip: sums over the layers that read it.
struct ChipFigures {
    decision::Outcome outcome = decision::Outcome::Unknown;
    /// Bytes of the weight that cross in a dispatch, as decide has them; empty: refused, not known.
    std::optional<std::uint64_t> moved = 0;
    std::uint64_t movedAtMost = 0; ///< the same, with all bytes where it is not known
    std::optional<double> timeS;   ///< by the roofs, of all runs; empty: not known
    /// Of one run of each of the weight's layers, in their order.
    CompactVector<std::optional<double>> layerS;
    SharedValue<std::string> refusal;                 ///< roofline::refusalOf it
    std::shared_ptr<const decision::Verdict> verdict; ///< that `outcome` is of
};
/// Adds bytes to a sum of them: unknown from the first ones on that are not known.
inline void addBytes(std::optional<std::uint64_t> &sum, const std::optional<std::uint64_t> &bytes)
{
    sum = sum && bytes ? std::optional(*sum + *bytes) : std::nullopt;
}
/// Adds a layer's time to a sum of them: unknown from the first one on that is not known.
inline void addTime(std::optional<double> &sum, const std::optional<double> &time)
{
    sum = sum && time ? std::optional(*sum + *time) : std::nullopt;
}

/// What a form makes of a weight, but for the error: the same for most weights of a shape.
struct TriedForm {
    SharedValue<std::string> name; ///< formName, or "keep"
    /// Null: stays as it is. One of a list that all weights of a shape share.
    std::shared_ptr<const codec::FormSpec> spec;
    SharedValue<decision::WeightForm> form;
    std::uint64_t stored = 0;                                ///< bytes
    SharedValue<CompactVector<ChipFigures>> chips;           ///< in the order of the targets
    codec::EncodeMethod method = codec::EncodeMethod::Plain; ///< by which the error is least
    bool sampled = false;             ///< error, and bytes of sparse forms, from some rows
    SharedValue<std::string> refused; ///< why it cannot be chosen; empty where it can
};
using TriedForms = std::vector<CompactShared<TriedForm>>;

/// A form of a weight, as its list has it, which has to stay. Lists make them as they are asked.
struct Candidate {
    const TriedForm *tried = nullptr; ///< null: there is no candidate
    double error = 0; ///< relative, without the sensitivity; 0 of a form that is refused

    explicit operator bool() const { return tried != nullptr; }
    const TriedForm *operator->() const { return tried; }
};

/// The candidates of a weight. There are two million of them for 50,000 weights, of a few dozen
/// lists of forms: a list keeps for itself only the errors of what is not refused.
class CandidateList
{
public:
    /// What lists of many weights have in common.
    struct Forms {
        explicit Forms(TriedForms tried);

        TriedForms tried;
        std::vector<std::uint32_t> errorAt; ///< by form: its place among the errors
        std::size_t errors = 0;             ///< forms that are not refused
    };

    /// `errors`: one a form.
    CandidateList(std::shared_ptr<const Forms> forms, const std::vector<double> &errors);
    /// The same with another form and error in that place.
    CandidateList with(std::size_t place, TriedForm tried, double error) const;

    std::size_t size() const { return m_forms->tried.size(); }
    Candidate operator[](std::size_t place) const
    {
        const TriedForm &tried = *m_forms->tried[place];
        return {&tried, tried.refused.empty() ? m_errors[m_forms->errorAt[place]] : 0};
    }
    Candidate front() const { return (*this)[0]; }
    const Forms &forms() const { return *m_forms; }

    class Iterator
    {
    public:
        using iterator_category = std::input_iterator_tag;
        using value_type = Candidate;
        using difference_type = std::ptrdiff_t;
        using pointer = void;
        using reference = Candidate;

        Iterator() = default;
        Iterator(const CandidateList &list, std::size_t place) : m_list(&list), m_place(place) {}
        Candidate operator*() const { return (*m_list)[m_place]; }
        Iterator &operator++()
        {
            ++m_place;
            return *this;
        }
        Iterator operator++(int) { return {*m_list, m_place++}; }
        friend Iterator operator+(Iterator from, difference_type places)
        {
            return {*from.m_list, from.m_place + static_cast<std::size_t>(places)};
        }
        friend difference_type operator-(const Iterator &a, const Iterator &b)
        {
            return static_cast<difference_type>(a.m_place) -
                   static_cast<difference_type>(b.m_place);
        }
        friend bool operator==(const Iterator &, const Iterator &) = default;

    private:
        const CandidateList *m_list = nullptr;
        std::size_t m_place = 0;
    };
    Iterator begin() const { return {*this, 0}; }
    Iterator end() const { return {*this, size()}; }

private:
    std::shared_ptr<const Forms> m_forms;
    CompactVector<double> m_errors; ///< of the forms that are not refused, in their order
};

} // namespace kernscope::plan
