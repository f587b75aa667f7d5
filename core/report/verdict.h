// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/assess.h"
#include "core/report/column.h"

/// The one thing first: what a program waits for on a chip, and which weights in another form would
/// make it faster.
namespace kernscope::report {

/// A weight in the form that would take the least time of its layers. Times are predicted, of all
/// runs of its layers in one run of the program; what it costs in accuracy, choose and plan say.
struct WeightGain {
    std::size_t weight = 0;
    std::string name, stored, form;    ///< Weight::findableName, and the two forms
    std::optional<double> storedS;     ///< empty: the compiler refuses it as it is stored
    double formS = 0;                  ///< seconds
    std::optional<std::uint64_t> less; ///< bytes that a call moves less; empty: not known, or more

    double savedS() const { return storedS ? *storedS - formS : 0; }
};
extern const TableOf<WeightGain> gainTable;

struct ProgramVerdict {
    std::string sentence;          ///< in full, with the chip's name
    std::vector<WeightGain> gains; ///< those that are refused now, then the largest gain first
};

/// Collects the layers of a program on a chip.
class VerdictMaker
{
public:
    /// `weight`: index in the bundle; `placed`: with the stored and the best form at least.
    void add(std::size_t weight, const roofline::Placement &placed);
    ProgramVerdict verdict(const Bundle &bundle, const roofline::Roofs &roofs) const;

private:
    struct Form {
        std::size_t weight = 0;
        std::string stored, form; ///< `form` empty: none is faster
        std::optional<double> storedS, formS;
        std::optional<std::uint64_t> storedBytes, formBytes;
        bool bytesBind = false;
    };
    std::string sentence(const roofline::ProgramTime &now, const roofline::ProgramTime &then,
                         const roofline::Roofs &roofs, std::span<const WeightGain> gains) const;

    roofline::LayerTimes m_times;
    std::vector<Form> m_forms; ///< of each layer of m_times
    bool m_openForms = false;  ///< a form may be faster: its time is not known
    bool m_openExtents = false;
};

ProgramVerdict programVerdict(const Bundle &bundle, const roofline::NetworkAssessment &network);
/// Of a bundle on a chip. Errors: those of roofsOf and of assessNetwork.
Result<ProgramVerdict> programVerdict(const Bundle &bundle, const target::Target &target,
                                      const target::TargetChoice &choice = {},
                                      std::uint64_t batch = 1);
/// `verdict`: the sentence, and the weights that would gain.
void addVerdict(Json &document, const ProgramVerdict &verdict);

} // namespace kernscope::report
