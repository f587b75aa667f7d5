// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/nearest_change.h"

#include "core/assessment/assess.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace kernscope::decision {

namespace {

/// Something that can be changed of a form, alone or with others.
struct Change {
    std::string_view words;
    bool (*applies)(const WeightForm &);
    void (*apply)(WeightForm &);
};

/// Changes of the form that the weight has.
constexpr std::array<Change, 6> kChanges{
    {{"zero point 0", [](const WeightForm &form) { return form.zeroPoint; },
      [](WeightForm &form) { form.zeroPoint = false; }},
     {"one codebook", [](const WeightForm &form) { return form.isPalette() && form.codebooks > 1; },
      [](WeightForm &form) { form.codebooks = 1; }},
     {"vectors of 1",
      [](const WeightForm &form) { return form.isPalette() && form.vectorSize > 1; },
      [](WeightForm &form) { form.vectorSize = 1; }},
     {"fp16 codebook entries",
      [](const WeightForm &form) { return form.isPalette() && form.element != ElementType::Fp16; },
      [](WeightForm &form) { form.element = ElementType::Fp16; }},
     {"4-bit indices", [](const WeightForm &form) { return form.isPalette() && form.bits != 4; },
      [](WeightForm &form) { form.bits = 4; }},
     {"8-bit indices", [](const WeightForm &form) { return form.isPalette() && form.bits != 8; },
      [](WeightForm &form) { form.bits = 8; }}}};

/// Another form in place of the one it has.
struct OtherForm {
    std::string_view key, words;
};
constexpr std::array<OtherForm, 5> kForms{{{"palette4", "a palette of 4-bit indices"},
                                           {"palette8", "a palette of 8-bit indices"},
                                           {"sparse", "a mask and its values (sparse)"},
                                           {"int8", "int8 with a scale a channel and no zero "
                                                    "point"},
                                           {"blockwise", "int8 with a scale a block"}}};

WeightForm fresh(const WeightForm &form, std::string_view key)
{
    WeightForm other;
    other.use = form.use;
    other.elements = form.elements;
    other.denseBytes = form.denseBytes;
    other.density = form.density;
    if (key == "sparse") {
        other.masked = true;
    } else if (key.starts_with("palette")) {
        other.node = FormNode::Palette;
        other.bits = key == "palette4" ? 4 : 8;
    } else {
        other.node = key == "int8" ? FormNode::Affine : FormNode::Blockwise;
        other.bits = 8;
        other.element = ElementType::Int8;
    }
    return other;
}

/// Less than half of it is zeros, or their share is not known.
bool isToBePruned(const WeightForm &form, std::string_view key)
{
    return key == "sparse" && !roofline::asForm(form, key);
}

/// Whether the form, pruned where it must be, takes fewer bytes than dense fp16. Of a weight whose
/// shape is not known that is taken to be so.
bool isSmaller(const WeightForm &form, std::string_view key)
{
    if (form.shape.empty())
        return true;
    WeightForm pruned = form;
    if (isToBePruned(form, key)) {
        pruned.density = 0.5;
        pruned.nonzero.reset();
    }
    const auto sized = roofline::sizedForm(pruned, key);
    return sized && sized->storedBytes && *sized->storedBytes < form.denseBytes;
}

/// Sets of changes by their size; only the smallest ones that help are kept.
class Search
{
public:
    Search(const WeightForm &form, const target::Target &target) : m_form(form), m_target(target)
    {
        for (const Change &change : kChanges) {
            if (change.applies(form))
                m_changes.push_back(&change);
        }
    }

    /// The sets of the smallest size, in words, joined by "; or "; empty where there is none.
    std::string run()
    {
        // More than three things at once is no change of the form but another one.
        for (std::size_t size = 1; size <= 3 && m_found.empty(); ++size) {
            subsets(m_form, {}, 0, size);
            forms(size);
        }
        return m_found;
    }
    /// Whether some other form would stream, but saves no bytes.
    bool savesNothing() const { return m_savesNothing; }

private:
    bool streams(const WeightForm &form) const
    {
        return judgeForm(form, m_target).outcome == Outcome::Streams;
    }
    void keep(const std::string &words) { m_found += (m_found.empty() ? "" : "; or ") + words; }

    void subsets(const WeightForm &form, const std::string &words, std::size_t from,
                 std::size_t left)
    {
        if (left == 0) {
            if (streams(form))
                keep("with " + words);
            return;
        }
        for (std::size_t i = from; i < m_changes.size(); ++i) {
            const Change &change = *m_changes[i];
            if (!change.applies(form))
                continue; // 4-bit and 8-bit indices exclude each other only by the order
            WeightForm changed = form;
            change.apply(changed);
            subsets(changed, words + (words.empty() ? "" : " and ") + std::string(change.words),
                    i + 1, left - 1);
        }
    }

    /// Another form is one change; to prune a weight for it is a second one.
    void forms(std::size_t size)
    {
        for (const OtherForm &other : kForms) {
            const bool prune = isToBePruned(m_form, other.key);
            if (m_form.key() == other.key || size != (prune ? 2U : 1U) ||
                !streams(fresh(m_form, other.key)))
                continue;
            if (!isSmaller(m_form, other.key)) {
                m_savesNothing = true;
                continue;
            }
            keep("stored as " + std::string(other.words) +
                 (prune ? ", pruned to at least half zeros" : ""));
        }
    }

    const WeightForm &m_form;
    const target::Target &m_target;
    std::vector<const Change *> m_changes;
    std::string m_found;
    bool m_savesNothing = false;
};

/// What stands against every form: the first condition of the use that fails.
std::string obstacle(const Verdict &verdict)
{
    for (const Reason &reason : verdict.reasons) {
        const bool ofUse = reason.gate == "unit stride" || reason.gate == "no dilation" ||
                           reason.gate == "no tile overlap" || reason.gate == "immutable weight";
        if (ofUse && reason.passes && !*reason.passes)
            return fmt::format(": {} ({}) folds every form", reason.found, reason.gate);
    }
    return {};
}

} // namespace

std::string nearestChange(const WeightForm &form, const Verdict &verdict)
{
    if (verdict.outcome == Outcome::Streams)
        return "None is needed: it streams.";
    const std::string &chip = verdict.target->name;
    if (form.node == FormNode::Unknown)
        return "Nothing can be said: how the weight is stored could not be read.";
    if (form.elements == 0)
        return "No change of form saves anything: the weight has no elements.";
    if (form.use.elsewhere)
        return "None: what reads the weight runs on another backend than the engine.";
    if (form.use.bias)
        return "None: a bias is always dense. It is added to what the operation that reads it "
               "makes.";
    if (form.use.kernel && !*form.use.kernel)
        return "None is known: the gates apply to kernels (conv, linear, matmul), and another "
               "operation reads the weight.";
    Search search(form, *verdict.target);
    const std::string found = search.run();
    if (!found.empty())
        return fmt::format("It streams on {} {}.", chip, found);
    if (search.savesNothing())
        return fmt::format("None saves anything: in every form that streams on {} the weight takes "
                           "no fewer bytes than as dense fp16.",
                           chip);
    if (verdict.outcome == Outcome::Unknown)
        return fmt::format("None is known: what {} needs to stream a weight is not published.",
                           chip);
    return fmt::format("No change of form, width, symmetry or zeros makes it stream on {}{}.", chip,
                       obstacle(verdict));
}

std::string nearestChangeKey(const WeightForm &form)
{
    std::string key = form.use.elsewhere ? "/elsewhere/" : form.use.bias ? "/bias/" : "/";
    for (const OtherForm &other : kForms) {
        key += isToBePruned(form, other.key) ? 'p' : '-';
        key += isSmaller(form, other.key) ? '1' : '0';
    }
    return key;
}

} // namespace kernscope::decision
