// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/write_plan.h"

#include "core/base/parallel.h"
#include "core/patch/reencode/reencoder.h"
#include "core/plan/judge_content.h"

#include <fmt/format.h>

namespace kernscope::plan {

namespace {

Error stopped()
{
    return cancelledError("The plan was cancelled");
}

/// One weight in its new form.
struct Encoded : EncodedForm {
    decision::WeightForm form; ///< with the sizes that it has now
};

class Writer
{
public:
    Writer(const Bundle &bundle, const SurveyOptions &options, const Limits &limits, Survey survey,
           Plan plan)
        : m_bundle(bundle), m_options(options), m_limits(limits)
    {
        m_result.survey = std::move(survey);
        m_result.plan = std::move(plan);
    }

    Result<PlannedBundle> run()
    {
        m_layers = TRY(layersByWeight(m_bundle, m_options));
        // Each round makes at least one estimate exact, or is the last one.
        for (bool exact = false; !exact;) {
            TRY(encode());
            exact = makeExact();
            if (exact)
                break;
            m_result.plan = TRY(solve(m_result.survey, m_limits));
        }
        for (const auto &step : {&Writer::raise, &Writer::replace}) {
            TRY((this->*step)());
        }
        TRY(verify());
        return std::move(m_result);
    }

private:
    /// Candidates of a content with a form: encoded once for all weights that hold the same.
    using Key = std::pair<const CandidateList *, std::size_t>;
    Key keyOf(const Row &row, std::size_t choice) const { return {row.candidates.get(), choice}; }

    /// Every form that the plan gives, once for all weights with the same candidates.
    Result<void> encode()
    {
        std::vector<std::pair<Key, std::size_t>> work; // and a row
        std::set<Key> known;
        for (std::size_t r = 0; r < m_result.survey.rows.size(); ++r) {
            const std::size_t choice = m_result.plan.choice[r];
            const Key key = keyOf(m_result.survey.rows[r], choice);
            if (choice != 0 && m_encoded.count(key) == 0 && known.insert(key).second)
                work.emplace_back(key, r);
        }
        std::mutex mutex;
        std::optional<Error> failed;
        inParallel(work.size(), m_options.threads, [&](std::size_t i) {
            const Row &row = m_result.survey.rows[work[i].second];
            auto encoded = encodeOne(row, work[i].first.second);
            const std::uint64_t done = m_bundle.weights()[row.weight].elements.value;
            const bool on = m_options.progress == nullptr || m_options.progress->advance(done);
            const std::lock_guard lock(mutex);
            if (!encoded || !on) {
                failed = encoded ? stopped() : encoded.error();
                return false;
            }
            m_encoded[work[i].first] = std::make_shared<Encoded>(std::move(*encoded));
            return true;
        });
        if (failed)
            return tl::unexpected(std::move(*failed));
        return {};
    }

    Result<Encoded> encodeOne(const Row &row, std::size_t choice) const
    {
        const auto values =
            TRY(weightValues(m_bundle, row.weight, row.axes, inputsOf(m_options, row.weight)));
        auto made = TRY(encodeAs(values, *(*row.candidates)[choice]->spec, m_options.model));
        auto form = sizedForm((*row.candidates)[choice]->form, values, made.weight,
                              m_result.survey.storedParts);
        return Encoded{std::move(made), std::move(form)};
    }

    /// Figures that came of some rows become exact. True where none had to change.
    bool makeExact()
    {
        bool same = true;
        // Rows with the same candidates are used alike: the layers of the first are enough.
        std::map<const CandidateList *, const std::vector<roofline::Layer> *> layers;
        for (const Row &row : m_result.survey.rows)
            layers.emplace(row.candidates.get(), &m_layers[row.weight]);
        decision::Judge judge(m_options.choice);
        std::unordered_map<const CandidateList *, std::shared_ptr<CandidateList>> made;
        for (const auto &[key, encoded] : m_encoded) {
            const Candidate candidate = (*key.first)[key.second];
            if (!candidate->sampled)
                continue;
            same = false;
            auto &copy = made[key.first];
            TriedForm exact = *candidate.tried;
            exact.method = encoded->method;
            exact.sampled = false;
            exact.form = encoded->form;
            exact.stored = encoded->form.storedBytes.value_or(0); // as it was encoded
            exact.chips = chipFigures(*layers.at(key.first), exact.form, m_result.survey.roofs,
                                      judge, m_options.batch);
            if (!copy)
                copy = std::make_shared<CandidateList>(*key.first);
            (*copy)[key.second] = {std::make_shared<const TriedForm>(std::move(exact)),
                                   encoded->error};
        }
        if (same)
            return true;
        std::map<Key, std::shared_ptr<Encoded>> renamed;
        for (auto &[key, encoded] : m_encoded) {
            const auto copy = made.find(key.first);
            renamed[{copy == made.end() ? key.first : copy->second.get(), key.second}] = encoded;
        }
        for (Row &row : m_result.survey.rows) {
            const auto copy = made.find(row.candidates.get());
            if (copy != made.end())
                row.candidates = copy->second;
        }
        m_encoded = std::move(renamed);
        return false;
    }

    /// The operation set that each model needs, at least its own.
    Result<void> raise()
    {
        std::map<std::string, unsigned> wanted;
        std::map<std::pair<std::string, std::string>, unsigned> own;
        for (const mil::Function &function : m_bundle.program()->functions)
            own[{function.model, function.name}] = patch::opsetNumber(function.opset);
        for (std::size_t r = 0; r < m_result.survey.rows.size(); ++r) {
            const Row &row = m_result.survey.rows[r];
            if (m_result.plan.choice[r] == 0)
                continue;
            const Weight &weight = m_bundle.weights()[row.weight];
            const unsigned before = own[{weight.model, weight.function}];
            const auto &encoded = m_encoded.at(keyOf(row, m_result.plan.choice[r]))->weight;
            const auto needed = TRY(requiredOpset(encoded, before));
            if (needed > before)
                wanted[weight.model] = std::max(wanted[weight.model], needed);
        }
        for (const auto &[model, opset] : wanted) {
            auto raised = TRY(raiseOpset(m_raised ? *m_raised : m_bundle, model, opset));
            m_raised = std::move(raised.bundle);
            m_result.raised.push_back({model, raised.before, raised.after, raised.changes});
        }
        return {};
    }

    Result<void> replace()
    {
        std::vector<Reencoding> weights;
        std::map<std::size_t, const codec::EncodedWeight *> byItem; // tied weights stay tied
        std::vector<std::shared_ptr<const codec::EncodedWeight>> copies;
        std::set<const codec::EncodedWeight *> taken;
        for (std::size_t r = 0; r < m_result.survey.rows.size(); ++r) {
            const Row &row = m_result.survey.rows[r];
            if (m_result.plan.choice[r] == 0)
                continue;
            const codec::EncodedWeight *&encoded = byItem[row.item];
            if (encoded == nullptr) {
                encoded = &m_encoded.at(keyOf(row, m_result.plan.choice[r]))->weight;
                if (!taken.insert(encoded).second) {
                    // The same values at another place stay at a place of their own.
                    copies.push_back(std::make_shared<const codec::EncodedWeight>(*encoded));
                    encoded = copies.back().get();
                }
            }
            weights.push_back({row.weight, encoded});
            ++m_result.changed;
        }
        if (weights.empty()) {
            m_result.bundle = TRY(m_bundle.reread());
            return {};
        }
        m_result.bundle = TRY(reencodeWeights(m_raised ? *m_raised : m_bundle, weights));
        return {};
    }

    Result<void> verify()
    {
        const auto &rows = m_result.survey.rows;
        const Bundle &made = *m_result.bundle;
        if (made.weights().size() != rows.size())
            return tl::unexpected(broken("weights", fmt::format("{}", rows.size()),
                                         fmt::format("{}", made.weights().size())));
        // New parts that are equal may be one in the file: fewer bytes than the weights' sum.
        const auto stored = made.totals().storedBytes.value;
        if (stored > m_result.plan.after.stored)
            return tl::unexpected(broken("stored bytes in all",
                                         fmt::format("{} at most", m_result.plan.after.stored),
                                         fmt::format("{}", stored)));
        m_result.plan.after.stored = stored;
        const auto layers = TRY(layersByWeight(made, m_options));
        decision::Judge judge(m_options.choice);
        std::vector<std::size_t> changed;
        for (std::size_t r = 0; r < rows.size(); ++r) {
            if (made.weights()[r].address() != m_bundle.weights()[r].address())
                return tl::unexpected(broken("weights", m_bundle.weights()[r].address(),
                                             made.weights()[r].address()));
            if (m_result.plan.choice[r] == 0)
                continue;
            TRY(verifyRow(r, judge, layers[r]));
            changed.push_back(r);
        }
        std::mutex mutex;
        std::optional<Error> failed;
        inParallel(changed.size(), m_options.threads, [&](std::size_t i) {
            auto same = verifyValues(changed[i]);
            const std::uint64_t done = made.weights()[changed[i]].elements.value;
            const bool on = m_options.progress == nullptr || m_options.progress->advance(done);
            if (same && on)
                return true;
            const std::lock_guard lock(mutex);
            failed = same ? stopped() : same.error();
            return false;
        });
        if (failed)
            return tl::unexpected(std::move(*failed));
        return {};
    }

    /// A weight of the new bundle, assessed, against the candidate that was promised.
    Result<void> verifyRow(std::size_t r, decision::Judge &judge,
                           const std::vector<roofline::Layer> &layers) const
    {
        const Row &row = m_result.survey.rows[r];
        const Candidate promised = (*row.candidates)[m_result.plan.choice[r]];
        const Weight &weight = m_result.bundle->weights()[row.weight];
        if (weight.storedBytes.value != promised->stored)
            return tl::unexpected(broken(m_result.survey.names[r],
                                         fmt::format("{} stored bytes", promised->stored),
                                         fmt::format("{}", weight.storedBytes.value)));
        decision::WeightForm form = weightForm(*m_result.bundle, weight);
        const auto chips = chipFigures(layers, form, m_result.survey.roofs, judge, m_options.batch);
        for (std::size_t t = 0; t < chips.size(); ++t) {
            const ChipFigures &was = promised->chips[t];
            if (was.outcome == chips[t].outcome && was.moved == chips[t].moved &&
                was.timeS == chips[t].timeS)
                continue;
            const auto text = [](const ChipFigures &figures) {
                return fmt::format("{}, {} bytes moved, {:g} s",
                                   decision::outcomeName(figures.outcome),
                                   figures.moved ? fmt::format("{}", *figures.moved) : "unknown",
                                   figures.timeS.value_or(0));
            };
            return tl::unexpected(
                broken(m_result.survey.names[r] + " on " + m_result.survey.targets[t]->name,
                       text(was), text(chips[t])));
        }
        return {};
    }

    /// The error of what the new bundle decodes to, against the values of the old one.
    Result<void> verifyValues(std::size_t r) const
    {
        const Row &row = m_result.survey.rows[r];
        const auto before =
            TRY(weightValues(m_bundle, row.weight, row.axes, inputsOf(m_options, row.weight)));
        const auto decoder = TRY(m_result.bundle->decoder(row.weight));
        const auto found = TRY(formError(before, decoder, m_options.model));
        const double promised = (*row.candidates)[m_result.plan.choice[r]].error;
        if (found != promised)
            return tl::unexpected(broken(m_result.survey.names[r],
                                         fmt::format("an error of {:.17g}", promised),
                                         fmt::format("{:.17g}", found)));
        return {};
    }

    Error broken(std::string field, std::string expected, std::string found) const
    {
        return valueError("plan.verify", std::move(field), std::move(expected), std::move(found),
                          "The bundle that was made is not what the plan promised");
    }

    const Bundle &m_bundle;
    const SurveyOptions &m_options;
    const Limits &m_limits;
    PlannedBundle m_result;
    LayersByWeight m_layers; ///< of the bundle as it was
    std::map<Key, std::shared_ptr<Encoded>> m_encoded;
    BundlePtr m_raised;
};

} // namespace

Result<PlannedBundle> carryOut(const Bundle &bundle, const SurveyOptions &options, Survey survey,
                               const Limits &limits, Plan plan)
{
    return Writer(bundle, options, limits, std::move(survey), std::move(plan)).run();
}

} // namespace kernscope::plan
