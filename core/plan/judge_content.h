// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/hash.h"
#include "core/plan/plan.h"

#include <mutex>

/// Private to the survey: judging the weights that hold the same values.
namespace kernscope::plan {

/// How a weight is used: what its figures on a chip depend on besides its form.
struct Usage {
    decision::WeightForm form; ///< as it is stored
    std::vector<roofline::Layer> layers;
    std::string model;  ///< whose operation set may have to be raised
    unsigned opset = 0; ///< of its function
    std::shared_ptr<const CandidateList> candidates;

    bool sameAs(const Usage &other) const;
};

/// Weights with the same values, bytes and axes.
struct Content {
    std::size_t weight = 0; ///< the first of them
    Axes axes;
    std::shared_ptr<const codec::InputStatistics> inputs;
    std::shared_ptr<const std::vector<codec::FormSpec>> forms; ///< shared by contents of one shape
    std::vector<Usage> usages;
    double energy = 0;
    std::size_t encodings = 0;
};

/// Whether a program has the operations of a form, now or once raised. Safe to ask from any thread.
class Opsets
{
public:
    explicit Opsets(const Bundle &bundle) : m_bundle(bundle) {}
    /// Why not; empty where it has.
    std::string refusal(const Usage &usage, const std::string &form,
                        const codec::EncodedWeight &encoded);

private:
    std::string reach(const std::string &model, unsigned opset);

    const Bundle &m_bundle;
    std::mutex m_mutex;
    std::map<std::pair<std::string, unsigned>, Result<unsigned>> m_required; ///< by form and set
    std::map<std::pair<std::string, unsigned>, std::string> m_reached;       ///< by model and set
};

/// Sums over the layers that read a weight, on each chip, of those that run on the engine; of a
/// weight in no layer its bytes alone.
std::vector<ChipFigures> chipFigures(const std::vector<roofline::Layer> &layers,
                                     const decision::WeightForm &form,
                                     const std::vector<roofline::Roofs> &roofs,
                                     decision::Judge &judge, std::uint64_t batch);

/// The proposed form with the sizes that its encoding has.
decision::WeightForm sizedForm(decision::WeightForm form, const WeightValues &values,
                               const codec::EncodedWeight &encoded, const StoredParts &how);

/// Judges every form of a content for all its uses.
class ContentJudge
{
public:
    ContentJudge(const Bundle &bundle, const SurveyOptions &options, const Survey &survey,
                 Opsets &opsets)
        : m_bundle(bundle), m_options(options), m_roofs(survey.roofs),
          m_storedParts(survey.storedParts), m_opsets(opsets), m_judge(options.choice)
    {
    }

    /// Errors: those of the decoder, "task.cancelled".
    Result<void> judge(Content &content);

private:
    /// Layers that are equal but for their names and places, on which no figure depends.
    using Layers = std::shared_ptr<const std::vector<roofline::Layer>>;
    /// A usage, and what was tried for it up to now.
    struct Tried {
        const Usage &usage;
        Layers layers;
        CandidateList candidates;
    };
    void keep(Tried &kept);
    void tryForm(Content &content, const WeightValues &values, const codec::FormSpec &spec,
                 std::vector<Tried> &tried);
    Layers layersOf(const Usage &usage);
    std::string refusal(const decision::WeightForm &form);
    /// Gives what is tried that form and its figures.
    void takeForm(TriedForm &tried, const Tried &by, decision::WeightForm form);

    const Bundle &m_bundle;
    const SurveyOptions &m_options;
    const std::vector<roofline::Roofs> &m_roofs;
    StoredParts m_storedParts;
    Opsets &m_opsets;
    decision::Judge m_judge;
    std::map<std::pair<std::size_t, std::string>, std::string> m_encoderRefusals;
    Interner<TriedForm> m_tried;
    Interner<std::vector<roofline::Layer>> m_layers;
    using FiguresByForm =
        std::unordered_map<decision::WeightForm, std::vector<ChipFigures>, Hashed>;
    std::unordered_map<Layers, FiguresByForm> m_figures;
};

// Another build of the network that is planned, for comparison.

struct Build {
    std::string name;
    PlanTotals totals; ///< in the terms of the survey: errors against its weights
    std::size_t paired = 0;
    std::vector<std::string> unpaired; ///< weights that the other build has no partner for
};

/// Pairs weights by the operation and operand that read them and their shape, decodes both, and
/// assesses the other build on the same chips. Weights without a partner have no share in the
/// errors. Errors: "plan.build" (no weight has a partner), those of the decoders and of bindShapes,
/// "task.cancelled".
Result<Build> measureBuild(const Bundle &bundle, const Survey &survey, const SurveyOptions &options,
                           const Bundle &other);

} // namespace kernscope::plan
