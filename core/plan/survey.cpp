// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/survey.h"

#include "core/assessment/consumer_kinds.h"
#include "core/assessment/weight_layers.h"
#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/bundle/build_facts.h"
#include "core/bundle/stored_bytes.h"
#include "core/patch/reencode/reencoder.h"
#include "core/plan/judge_content.h"

#include <cstring>
#include <tuple>

#include <fmt/format.h>

namespace kernscope::plan {

namespace {

LayersByWeight layersIn(const Bundle &bundle)
{
    const LayerReader reader(bundle);
    LayersByWeight layers(reader.weights());
    for (std::size_t i = 0; i < layers.size(); ++i)
        layers[i] = reader.layers(i, reader.form(i));
    return layers;
}

/// What is needed of them to add up a program. Most are reached alike and are one object.
std::vector<std::vector<std::shared_ptr<const roofline::Layer>>>
reachedLayers(const LayersByWeight &layers)
{
    std::vector<std::vector<std::shared_ptr<const roofline::Layer>>> reached(layers.size());
    Interner<roofline::Layer> known;
    for (std::size_t i = 0; i < layers.size(); ++i) {
        for (const roofline::Layer &layer : layers[i]) {
            roofline::Layer bare;
            bare.model = layer.model;
            bare.runs = layer.runs;
            reached[i].push_back(known.get(std::move(bare)));
        }
    }
    return reached;
}

/// Where the bytes of an operand are: a file and an offset; of a literal its own address.
using Place = std::pair<std::size_t, std::uint64_t>;
Place placeOf(const codec::Operand &operand)
{
    const OperandPlace &place = *operand.place;
    if (place.isLiteral())
        return {kNoIndex, reinterpret_cast<std::uintptr_t>(place.literal.get())};
    return {place.file, place.dataOffset.value};
}

/// Of the bytes of a weight that could not be read.
Place unreadPlace(std::size_t weight)
{
    return {kNoIndex - 1, weight};
}

/// A quick number of a run of bytes; equal ones are compared.
std::uint64_t mix(std::uint64_t hash, std::span<const std::byte> bytes)
{
    constexpr std::uint64_t kPrime = 0x9e3779b97f4a7c15u;
    std::size_t at = 0;
    for (; at + 8 <= bytes.size(); at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data() + at, 8);
        hash = (hash ^ word) * kPrime;
        hash ^= hash >> 29;
    }
    for (; at < bytes.size(); ++at)
        hash = (hash ^ std::to_integer<std::uint64_t>(bytes[at])) * kPrime;
    return hash ^ (hash >> 32);
}

bool sameInputs(const codec::InputStatistics *a, const codec::InputStatistics *b)
{
    if (a == b || a == nullptr || b == nullptr)
        return a == b;
    return a->axis == b->axis && a->meanSquare == b->meanSquare && a->mean == b->mean &&
           a->secondMoment == b->secondMoment;
}

using codec::FormSpec;

void addAffine(std::vector<FormSpec> &forms, const Axes &axes)
{
    FormSpec spec;
    spec.node = FormNode::Affine;
    spec.affine.axis = axes.output;
    forms.push_back(spec);
    spec.affine.symmetric = false;
    forms.push_back(spec);
    spec.affine.symmetric = true;
    spec.affine.axis.reset();
    forms.push_back(spec);
}

/// One codebook, one for every 64 and every 16 rows, and vectors of two and of four rows.
void addPalettes(std::vector<FormSpec> &forms, const Shape &shape)
{
    const std::uint64_t rows = shape.empty() ? 1 : shape[0];
    FormSpec spec;
    spec.node = FormNode::Palette;
    for (const unsigned bits : {1u, 2u, 3u, 4u, 6u, 8u}) {
        spec.palette = {bits, 1, 1, ElementType::Fp16};
        forms.push_back(spec);
        for (const std::uint64_t each : {std::uint64_t(64), std::uint64_t(16)}) {
            spec.palette.groups = rows % each == 0 ? rows / each : 1;
            if (spec.palette.groups > 1)
                forms.push_back(spec);
        }
        spec.palette.groups = 1;
        for (const std::uint64_t vector : {std::uint64_t(2), std::uint64_t(4)}) {
            spec.palette.vector = vector;
            if (rows % vector == 0 && (bits == 4 || bits == 6 || bits == 8))
                forms.push_back(spec);
        }
    }
}

void addBlockwise(std::vector<FormSpec> &forms, const Shape &shape, const Axes &axes)
{
    FormSpec spec;
    spec.node = FormNode::Blockwise;
    spec.blockwise.axis = axes.input;
    spec.blockwise.channels = axes.output;
    for (const ElementType type : {ElementType::Int8, ElementType::Int4}) {
        for (const std::uint64_t block :
             {std::uint64_t(16), std::uint64_t(32), std::uint64_t(64)}) {
            if (axes.input >= shape.size() || shape[axes.input] % block != 0)
                continue;
            spec.blockwise.codeType = type;
            spec.blockwise.block = block;
            forms.push_back(spec);
        }
    }
}

void addSparse(std::vector<FormSpec> &forms, const Shape &shape, const Axes &axes)
{
    FormSpec spec;
    spec.node = FormNode::Sparse;
    forms.push_back(spec); // every value that is not zero
    for (const double density : {0.75, 0.6, 0.5, 0.4, 0.35, 0.3, 0.25, 0.2, 0.15, 0.1, 0.05}) {
        spec.density = density;
        forms.push_back(spec);
    }
    spec.density.reset();
    spec.pattern = codec::SparsePattern{2, 4, axes.input};
    forms.push_back(spec);
    // Joint forms: every non-zero value, or half of all, coded.
    FormSpec joint;
    joint.node = FormNode::Sparse;
    for (const bool half : {false, true}) {
        joint.density = half ? std::optional(0.5) : std::nullopt;
        joint.survivors = FormNode::Palette;
        for (const unsigned bits : {4u, 6u, 8u}) {
            joint.palette = {bits, 1, 1, ElementType::Fp16};
            forms.push_back(joint);
        }
        joint.survivors = FormNode::Blockwise;
        joint.blockwise = {ElementType::Int8, 32, axes.input, false, axes.output};
        if (axes.input < shape.size() && shape[axes.input] % 32 == 0)
            forms.push_back(joint);
    }
}

} // namespace

Result<LayersByWeight> layersByWeight(const Bundle &bundle, const SurveyOptions &options)
{
    if (options.shapes.empty())
        return layersIn(bundle);
    const auto bound = bindShapes(bundle, options.shapes);
    if (!bound && !options.defaultShapes)
        return tl::unexpected(bound.error());
    return layersIn(bound ? *bound->bundle : bundle);
}

std::optional<std::uint64_t> ownBytes(const Survey &survey, const Row &row)
{
    if (row.unread)
        return std::nullopt;
    std::uint64_t own = 0;
    for (const PartBytes &part : survey.parts[row.item])
        own += part.bytes;
    return own;
}

std::shared_ptr<const codec::InputStatistics> inputsOf(const SurveyOptions &options,
                                                       std::size_t weight)
{
    return weight < options.inputs.size() ? options.inputs[weight] : nullptr;
}

/// Makes a survey step by step.
class Surveyor
{
public:
    Surveyor(const Bundle &bundle, const SurveyOptions &options)
        : m_bundle(bundle), m_options(options)
    {
    }

    Result<Survey> run()
    {
        m_survey.targets = m_options.targets;
        m_survey.model = m_options.model;
        TRY(checkOptions());
        TRY(bindInputs());
        readLayers();
        TRY(addRows());
        findItems();
        findContents();
        if (m_options.progress != nullptr && m_options.progress->cancelled())
            return tl::unexpected(cancelledError("The plan was cancelled"));
        for (const Row &row : m_survey.rows) {
            if (!row.fixed.empty())
                continue;
            Content &content = m_contents[m_used[row.weight].content];
            if (content.forms && m_options.forced.empty())
                continue;
            TRY(addForms(content, row.weight));
        }
        TRY(judgeAll());
        finish();
        return std::move(m_survey);
    }

private:
    Result<void> checkOptions()
    {
        if (m_options.targets.empty())
            return refused("plan.target", "target", "at least one", "none",
                           "A plan is made for a chip");
        if (m_bundle.kind() == BundleKind::Aimodelx)
            return refused(
                "plan.compiled", {}, "a Core AI package (.aimodel)", "a compiled program",
                "A compiled program is not re-encoded: plan for the .aimodel that it was "
                "compiled from, and compile that anew");
        if (m_bundle.programFile() == kNoIndex || m_bundle.kind() == BundleKind::MilBlob)
            return refused("plan.program", {}, "a program beside the weight file",
                           std::string(bundleKindName(m_bundle.kind())),
                           "Without a program a weight has no form to change");
        if (isOldNetwork(m_bundle))
            return tl::unexpected(oldNetworkError("plan.program", m_bundle.name()));
        for (const target::Target *target : m_options.targets) {
            auto roofs = TRY(roofline::roofsOf(*target));
            m_survey.roofs.push_back(std::move(roofs));
        }
        for (const auto &[pattern, form] : m_options.forced) {
            TRY(form == kKeep ? Result<codec::FormSpec>() : formFromName(form));
        }
        return {};
    }

    void readLayers()
    {
        const std::size_t count = m_bundle.weights().size();
        m_forms = weightForms(m_bundle);
        m_layers = layersIn(shaped());
        m_axes.assign(count, Axes{0, 1, 0, 1});
        std::map<std::pair<std::string, std::string>, unsigned> opsets;
        for (const mil::Function &function : m_bundle.program()->functions)
            opsets[{function.model, function.name}] = patch::opsetNumber(function.opset);
        m_opsets.resize(count);
        for (std::size_t i = 0; i < count; ++i) {
            const Weight &weight = shaped().weights()[i];
            m_opsets[i] = opsets[{weight.model, weight.function}];
            if (const roofline::Layer *judged = heaviest(m_layers[i]))
                m_axes[i] = channelAxes(weight, weight.consumers[judged->consumer]);
        }
    }

    Result<void> bindInputs()
    {
        if (m_options.shapes.empty())
            return {};
        m_survey.shaped = TRY(bindShapes(m_bundle, m_options.shapes));
        m_survey.defaultShapes = m_options.defaultShapes;
        return {};
    }

    /// The bundle whose shapes count.
    const Bundle &shaped() const { return m_survey.shaped ? *m_survey.shaped->bundle : m_bundle; }
    Result<void> addRows()
    {
        m_survey.rows.reserve(m_bundle.weights().size());
        for (std::size_t i = 0; i < m_bundle.weights().size(); ++i) {
            Row row;
            row.weight = i;
            m_survey.names.push_back(m_bundle.weights()[i].findableName());
            row.function =
                functionAddress(m_bundle.weights()[i].model, m_bundle.weights()[i].function);
            row.stored = m_forms[i].key();
            row.axes = m_axes[i];
            row.fixed = whyFixed(i);
            row.unread = !m_forms[i].storedBytes;
            m_survey.unread += row.unread ? 1 : 0;
            if (i < m_options.sensitivity.size())
                row.sensitivity = m_options.sensitivity[i];
            if (row.fixed.empty()) {
                TRY(checkChannels(i));
            }
            m_survey.rows.push_back(std::move(row));
            m_survey.denseBytes += m_forms[i].denseBytes;
        }
        return {};
    }

    std::string whyFixed(std::size_t index) const
    {
        const Weight &weight = m_bundle.weights()[index];
        if (weight.fault)
            return "unsound: " + describe(*weight.fault);
        if (weight.type != ElementType::Fp16 && weight.type != ElementType::Fp32)
            return fmt::format("values of {} have no other form", elementTypeName(weight.type));
        if (isOfOldNetwork(weight))
            return std::string(kOldNetworkReason);
        if (std::string note = uncompressibleNote(weight); !note.empty())
            return note;
        if (m_layers[index].empty())
            return "no operation with a kernel reads it";
        if (weight.shape.size() < 2 || weight.elements.value < 2)
            return "has no input channels";
        if (m_opsets[index] == 0)
            return "the operation set of its function is not known";
        return {};
    }

    /// Whether the statistics are those of this weight: of a grouped convolution one number for
    /// each
    /// channel, or for each of every group.
    Result<void> checkChannels(std::size_t index) const
    {
        const auto inputs = inputsOf(m_options, index);
        if (!inputs)
            return {};
        const Weight &weight = shaped().weights()[index];
        if (auto fits = codec::checkInputs(*inputs, weight.shape); !fits) {
            const Error &found = fits.error();
            return refused("plan.activations", weight.findableName(), found.expected, found.found,
                           found.message);
        }
        const std::uint64_t channels = weight.shape[inputs->axis];
        const std::uint64_t groups =
            weight.consumers[m_layers[index].front().consumer].geometry.groups;
        const std::uint64_t given = inputs->meanSquare.size();
        if (given == 0 || given == channels || given == channels * groups)
            return {};
        return refused("plan.activations", weight.findableName(),
                       fmt::format("{} input channels", channels * groups),
                       fmt::format("{} values", given), "The statistics do not fit the weight");
    }

    /// Weights whose parts lie at the same places are one item: they change together or not at all.
    void findItems()
    {
        std::map<std::vector<Place>, std::size_t> items;
        std::vector<std::string> stays;
        for (Row &row : m_survey.rows) {
            std::vector<Place> places;
            for (const codec::Operand &operand : m_bundle.weights()[row.weight].operands())
                places.push_back(placeOf(operand));
            const Weight &weight = m_bundle.weights()[row.weight];
            if (unreadBytes(weight).value + weight.unreadElsewhere.value > 0)
                places.push_back(
                    unreadPlace(row.weight)); // they lie nowhere, and so with no others
            row.item = items.emplace(places, items.size()).first->second;
            stays.resize(items.size());
            if (!row.fixed.empty())
                stays[row.item] = m_survey.names[row.weight];
        }
        for (Row &row : m_survey.rows) {
            if (row.fixed.empty() && !stays[row.item].empty())
                row.fixed = "shares its bytes with " + stays[row.item] + ", which stays as it is";
        }
        m_survey.items = items.size();
        std::map<Place, std::set<std::size_t>> users;
        for (const Row &row : m_survey.rows) {
            for (const codec::Operand &operand : m_bundle.weights()[row.weight].operands())
                users[placeOf(operand)].insert(row.item);
        }
        std::map<Place, std::size_t> numbers;
        for (const Row &row : m_survey.rows) {
            if (row.item < m_survey.parts.size()) // items are numbered in the order of the rows
                continue;
            std::vector<PartBytes> parts;
            std::set<std::size_t> seen;
            for (const codec::Operand &operand : m_bundle.weights()[row.weight].operands()) {
                const Place place = placeOf(operand);
                const std::size_t number = numbers.emplace(place, numbers.size()).first->second;
                if (seen.insert(number).second)
                    parts.push_back({number, users[place].size() > 1, operand.place->bytes.value});
            }
            if (const ByteCount unread = unreadBytes(m_bundle.weights()[row.weight]);
                unread.value > 0)
                parts.push_back(
                    {numbers.emplace(unreadPlace(row.weight), numbers.size()).first->second, false,
                     unread.value});
            m_survey.parts.push_back(std::move(parts));
        }
    }

    void findContents()
    {
        const BundleReadLock lock(m_bundle);
        m_used.resize(m_survey.rows.size());
        for (const Row &row : m_survey.rows) {
            if (m_options.progress != nullptr && m_options.progress->cancelled())
                return; // the caller sees it too
            if (!row.fixed.empty())
                continue;
            const std::size_t number = contentOf(row.weight, m_axes[row.weight]);
            Content &content = m_contents[number];
            const Usage usage = usageOf(row.weight);
            const auto same = std::ranges::find_if(
                content.usages, [&usage](const Usage &other) { return usage.sameAs(other); });
            m_used[row.weight] = {number, static_cast<std::size_t>(same - content.usages.begin())};
            if (same == content.usages.end())
                content.usages.push_back(usage);
        }
    }

    std::size_t contentOf(std::size_t weight, const Axes &axes)
    {
        auto inputs = inputsOf(m_options, weight);
        std::uint64_t hash = axes.input * 8 + axes.output;
        if (inputs) {
            for (const auto *numbers : {&inputs->meanSquare, &inputs->mean, &inputs->secondMoment})
                hash = mix(hash, std::as_bytes(std::span<const float>(*numbers)));
        }
        for (const codec::Operand &operand : m_bundle.weights()[weight].operands())
            hash = mix(hash, m_bundle.operandBytes(operand));
        const auto [first, last] = m_byHash.equal_range(hash);
        for (auto at = first; at != last; ++at) {
            const Content &content = m_contents[at->second];
            if (content.axes == axes && sameInputs(content.inputs.get(), inputs.get()) &&
                sameContent(content.weight, weight))
                return at->second;
        }
        Content content;
        content.weight = weight;
        content.axes = axes;
        content.inputs = std::move(inputs);
        m_contents.push_back(std::move(content));
        m_byHash.emplace(hash, m_contents.size() - 1);
        return m_contents.size() - 1;
    }

    bool sameContent(std::size_t a, std::size_t b) const
    {
        const OperandList &operands = m_bundle.weights()[a].operands();
        const OperandList &others = m_bundle.weights()[b].operands();
        const Weight &first = m_bundle.weights()[a];
        const Weight &second = m_bundle.weights()[b];
        if (first.shape != second.shape || first.type != second.type ||
            first.sourceOp != second.sourceOp || operands.size() != others.size())
            return false;
        for (std::size_t i = 0; i < operands.size(); ++i) {
            const codec::Operand &one = operands[i], &other = others[i];
            if (one.role != other.role || one.declaredType() != other.declaredType() ||
                one.declaredShape() != other.declaredShape())
                return false;
            const auto x = m_bundle.operandBytes(one);
            const auto y = m_bundle.operandBytes(other);
            if (x.size() != y.size() || std::memcmp(x.data(), y.data(), x.size()) != 0)
                return false;
        }
        return true;
    }

    Usage usageOf(std::size_t weight) const
    {
        Usage usage;
        usage.form = m_forms[weight];
        usage.layers = m_layers[weight];
        usage.model = m_bundle.weights()[weight].model;
        usage.opset = m_opsets[weight];
        return usage;
    }

    using FormList = std::vector<codec::FormSpec>;
    /// The forms to try with every weight of that shape. Of 50,000 weights each list takes
    /// kilobytes:
    /// one serves all that it fits.
    Result<std::shared_ptr<const FormList>> formsOf(const Weight &weight, const Axes &axes)
    {
        const bool dense = weight.form.isDense();
        std::shared_ptr<const FormList> &known = m_formLists[{weight.shape, axes, dense}];
        if (known)
            return known;
        FormList forms;
        std::set<std::string> names;
        const auto add = [&](const codec::FormSpec &spec) {
            const bool asItIs = spec.node == FormNode::Dense && dense;
            if (!asItIs && names.insert(formName(spec)).second)
                forms.push_back(spec);
        };
        for (const codec::FormSpec &spec : triedForms(weight.shape, axes)) {
            if (triesForm(formName(spec)))
                add(spec);
        }
        for (const std::string &name : m_options.forms) {
            // A name without "*" and "?" may be a form that is not tried otherwise.
            if (name.find_first_of("*?") != name.npos || name == kKeep)
                continue;
            const auto spec = TRY(formFromName(name, axes));
            add(spec);
        }
        known = std::make_shared<const FormList>(std::move(forms));
        return known;
    }

    /// The forms to try, and those that are asked for by hand.
    Result<void> addForms(Content &content, std::size_t index)
    {
        const Weight &weight = m_bundle.weights()[index];
        if (!content.forms) {
            content.forms = TRY(formsOf(weight, content.axes));
        }
        for (const auto &[pattern, form] : m_options.forced) {
            if (form == kKeep || !matchesPattern(pattern, m_survey.names[index]))
                continue;
            const auto spec = TRY(formFromName(form, content.axes));
            const bool known = std::any_of(content.forms->begin(), content.forms->end(),
                                           [&spec](const codec::FormSpec &tried) {
                                               return formName(tried) == formName(spec);
                                           });
            if (known || (spec.node == FormNode::Dense && weight.form.isDense()))
                continue;
            FormList more = *content.forms;
            more.push_back(spec);
            content.forms = std::make_shared<const FormList>(std::move(more));
        }
        return {};
    }

    bool triesForm(const std::string &name) const
    {
        return m_options.forms.empty() ||
               std::ranges::any_of(m_options.forms, [&name](const std::string &pattern) {
                   return matchesPattern(pattern, name);
               });
    }

    Result<void> judgeAll()
    {
        Opsets opsets(m_bundle);
        m_survey.storedParts = storedParts(m_bundle);
        std::vector<std::size_t> order(m_contents.size());
        std::uint64_t total = 0;
        for (std::size_t i = 0; i < order.size(); ++i) {
            order[i] = i;
            total += std::min(m_bundle.weights()[m_contents[i].weight].elements.value,
                              m_options.mostElements) *
                     m_contents[i].forms->size();
        }
        if (m_options.progress != nullptr)
            m_options.progress->setTotal(std::max<std::uint64_t>(total, 1));
        std::ranges::stable_sort(order, [this](std::size_t a, std::size_t b) {
            return m_bundle.weights()[m_contents[a].weight].elements >
                   m_bundle.weights()[m_contents[b].weight].elements;
        });
        std::mutex mutex;
        std::optional<Error> failed;
        const std::size_t threads = threadsFor(order.size(), m_options.threads);
        std::deque<ContentJudge> judges; // one per thread: each caches the verdicts
        for (std::size_t i = 0; i < threads; ++i)
            judges.emplace_back(m_bundle, m_options, m_survey, opsets);
        onThreads(order.size(), threads, [&](std::size_t piece, std::size_t thread) {
            auto judged = judges[thread].judge(m_contents[order[piece]]);
            if (judged)
                return true;
            const std::lock_guard lock(mutex);
            failed = judged.error();
            return false;
        });
        if (failed)
            return tl::unexpected(std::move(*failed));
        return {};
    }

    void finish()
    {
        for (Row &row : m_survey.rows) {
            if (!row.fixed.empty())
                continue;
            const Content &content = m_contents[m_used[row.weight].content];
            row.candidates = content.usages[m_used[row.weight].usage].candidates;
            row.energy = content.energy;
        }
        decision::Judge judge(m_options.choice);
        m_survey.fixed.resize(m_survey.targets.size());
        for (ChipFigures &fixed : m_survey.fixed)
            fixed.timeS = 0.0;
        for (Row &row : m_survey.rows) {
            if (row.fixed.empty())
                continue;
            const auto chips = chipFigures(m_layers[row.weight], m_forms[row.weight],
                                           m_survey.roofs, judge, m_options.batch);
            for (std::size_t t = 0; t < chips.size(); ++t) {
                addBytes(m_survey.fixed[t].moved, chips[t].moved);
                addTime(m_survey.fixed[t].timeS, chips[t].timeS);
                row.fixedChips.push_back(chips[t]);
            }
        }
        m_survey.layers = reachedLayers(m_layers);
        m_survey.contents = m_contents.size();
        for (const Content &content : m_contents)
            m_survey.encodings += content.encodings;
    }

    const Bundle &m_bundle;
    const SurveyOptions &m_options;
    Survey m_survey;
    std::vector<decision::WeightForm> m_forms;
    LayersByWeight m_layers;
    std::vector<Axes> m_axes;       ///< by weight
    std::vector<unsigned> m_opsets; ///< by weight
    std::vector<Content> m_contents;
    /// By shape, axes, and whether the weight is dense.
    std::map<std::tuple<Shape, Axes, bool>, std::shared_ptr<const FormList>> m_formLists;
    std::unordered_multimap<std::uint64_t, std::size_t> m_byHash;
    struct Used {
        std::size_t content = 0, usage = 0;
    };
    std::vector<Used> m_used; ///< by weight
};

Result<Survey> survey(const Bundle &bundle, const SurveyOptions &options)
{
    return Surveyor(bundle, options).run();
}

// The forms that are tried for a weight.

std::vector<FormSpec> triedForms(const Shape &shape, const Axes &axes)
{
    std::vector<FormSpec> forms(1); // dense
    addAffine(forms, axes);
    addPalettes(forms, shape);
    addBlockwise(forms, shape, axes);
    addSparse(forms, shape, axes);
    return forms;
}

} // namespace kernscope::plan
