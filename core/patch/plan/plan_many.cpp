// SPDX-License-Identifier: GPL-3.0-or-later
// Edits of many elements: a fill, what an expression makes of each, the values of a NumPy file, or
// values that the edit carries.
#include "core/base/text.h"

#include "core/base/error_builder.h"
#include "core/base/overlaid_file.h"
#include "core/base/parallel.h"
#include "core/bundle/bundle.h"
#include "core/bundle/stored_values.h"
#include "core/numeric/npy.h"
#include "core/patch/edit/copy_values.h"
#include "core/patch/edit/expression.h"
#include "core/patch/interrupted_save.h"
#include "core/patch/plan/planner.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace kernscope::patch {

/// The values that an edit takes from a file, read in runs: "a.npy", or a tensor of a checkpoint or
/// another bundle, "a.safetensors#encoder.weight" (without '#': the one of the weight's own name).
class ArraySource
{
public:
    /// The shape must be that of the weight but for extents of 1. Errors: those of readNpyLayout,
    /// Bundle::open and findWeight, "patch.shape".
    static Result<ArraySource> open(const std::string &source, const Weight &weight);

    /// Elements [first, first + out.size()), row-major: exact but for integers beyond 2^53. From
    /// any thread.
    void read(std::uint64_t first, std::span<double> out) const;
    ElementType type() const { return m_file ? m_layout.type : m_decoder->type(); }
    /// Of 64-bit integers that lie there as such, themselves: of uint64 the bits.
    bool hasCodes() const;
    void readCodes(std::uint64_t first, std::span<std::int64_t> out) const;
    /// To be asked after the last read. Errors: "io.changed" where another program changed the
    /// file meanwhile: what was read may be half old, half new.
    Result<void> checkUnchanged() const;

private:
    static Result<ArraySource> ofArray(const std::string &path);
    static Result<ArraySource> ofTensor(const std::string &path, const std::string &name,
                                        const Weight &weight);

    Shape m_shape;
    std::shared_ptr<OverlaidFile> m_file; ///< of an array
    NpyLayout m_layout;
    BundlePtr m_bundle; ///< of a tensor
    std::optional<codec::Decoder> m_decoder;
};

namespace {

Shape shapeWithoutOnes(Shape shape)
{
    shape.erase(std::remove(shape.begin(), shape.end(), 1u), shape.end());
    return shape;
}

/// Path and tensor; a '#' that is part of an existing file's name separates nothing.
std::pair<std::string, std::string> splitSource(const std::string &source)
{
    std::error_code failure;
    const auto hash = source.rfind('#');
    if (hash == std::string::npos || std::filesystem::exists(source, failure))
        return {source, {}};
    return {source.substr(0, hash), source.substr(hash + 1)};
}

/// Whether the elements of a weight are 64-bit integers, stored as they are.
bool storesWideIntegers(const codec::Decoder &decoder)
{
    return isWideInteger(decoder.type()) && plainOperand(decoder) != nullptr;
}

/// Elements of one run: what is made of them stays in the second cache.
constexpr std::uint64_t kRun = 16384;
/// Elements of each run that are decoded and compared after it was written.
constexpr std::size_t kChecked = 2048;
/// Runs that are planned by several threads before they are written.
constexpr std::size_t kRunsAtOnce = 256;

/// A run of elements, and where its values are in an edit that carries them.
struct Run {
    std::uint64_t first = 0, count = 0, valuesAt = 0;
};

/// The values of an edit.
struct EditValues {
    /// What the elements of a run are to become, from any thread.
    std::function<void(const Run &, std::span<double>)> read;
    /// Where 64-bit integers become such, beside `read`: the numbers themselves, and their type.
    std::function<void(const Run &, std::span<std::int64_t>)> readCodes;
    ElementType codes = ElementType::Unknown;
};

/// Sets runs of elements and keeps the account.
class Filler
{
public:
    Filler(WeightPlanner &planner, const EditValues &values, double tolerance, Progress *progress)
        : m_planner(planner), m_values(values), m_progress(progress),
          m_tolerance(toleranceFor(planner.weight().type, tolerance))
    {
        const std::size_t threads = threadsFor(kRunsAtOnce, 0);
        while (planner.payloadInFile() && m_editors.size() < threads) {
            auto editor = codec::RunEditor::make(planner.decoder(), m_tolerance);
            if (!editor)
                break;
            m_editors.push_back(std::move(*editor));
        }
        // Runs that share bytes are planned one after the other.
        m_atOnce = m_editors.empty() || !m_editors.front().separateRuns() ? 1 : kRunsAtOnce;
        if (m_atOnce == 1 && m_editors.size() > 1)
            m_editors.erase(m_editors.begin() + 1, m_editors.end());
        m_wanted.resize(m_editors.size());
    }

    /// Runs must ascend, without overlaps, unless add() is flushed between them.
    Result<void> add(std::uint64_t first, std::uint64_t count, std::uint64_t valuesAt = 0)
    {
        for (std::uint64_t at = 0; at < count; at += kRun) {
            m_runs.push_back({first + at, std::min(kRun, count - at), valuesAt + at});
            if (m_runs.size() < m_atOnce)
                continue;
            TRY(flush());
        }
        return {};
    }
    Result<void> flush()
    {
        const std::vector<Run> runs = std::exchange(m_runs, {});
        std::vector<Planned> planned(runs.size());
        if (!m_editors.empty())
            onThreads(runs.size(), std::min(m_editors.size(), runs.size()),
                      [&](std::size_t i, std::size_t thread) {
                          planRun(runs[i], thread, planned[i]);
                          return advance(runs[i].count);
                      });
        for (std::size_t i = 0; i < runs.size(); ++i) {
            if (m_progress != nullptr && m_progress->cancelled())
                break;
            TRY(planned[i].done ? write(runs[i], std::move(planned[i])) : setEach(runs[i]));
        }
        if (m_progress != nullptr && m_progress->cancelled())
            return tl::unexpected(cancelledError("The edit was cancelled; nothing was changed"));
        return {};
    }

    codec::RunOutcome outcome;

private:
    struct Planned {
        codec::RunOutcome outcome;
        std::vector<float> after; ///< of the first elements
        bool done = false;
    };

    void planRun(const Run &run, std::size_t thread, Planned &planned)
    {
        std::vector<double> &values = m_wanted[thread];
        values.resize(run.count);
        m_values.read(run, values);
        planned.outcome.worst = outcome.worst; // most runs have none that is farther off
        planned.after.resize(std::min<std::uint64_t>(run.count, kChecked));
        planned.done = m_editors[thread].set(run.first, values, planned.after, planned.outcome);
    }

    Result<void> write(const Run &run, Planned planned)
    {
        codec::EditPlan plan;
        plan.parts = std::move(planned.outcome.bytes);
        outcome.add(std::move(planned.outcome));
        if (plan.parts.empty() || outcome.refusal) // once refused, nothing needs to be written
            return {};
        // The run before may have changed the first byte since this one was planned.
        codec::PartEdit &first = plan.parts.front();
        const std::uint64_t bit = m_editors.front().firstBit(run.first);
        if (bit % 8 != 0 && bit / 8 == first.offset) {
            const auto payload =
                std::get<codec::Operand>(m_planner.decoder().encoding().payload).bytes;
            const auto kept = static_cast<std::byte>((1U << bit % 8) - 1U);
            first.bytes[0] = (payload[first.offset] & kept) | (first.bytes[0] & ~kept);
        }
        TRY(m_planner.apply(plan));
        return check(run.first, planned.after);
    }

    /// Weights that have no runs: each element by itself.
    Result<void> setEach(const Run &run)
    {
        std::vector<double> values(run.count);
        m_values.read(run, values);
        std::vector<std::int64_t> codes(m_values.readCodes ? values.size() : 0);
        if (m_values.readCodes)
            m_values.readCodes(run, codes);
        outcome.seen += run.count;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const std::uint64_t element = run.first + i;
            const codec::Editor editor(m_planner.decoder());
            const auto plan =
                codes.empty()
                    ? editor.setElement(element, values[i], m_tolerance.of(values[i]))
                    : editor.setStored(codec::PartRole::Data, element, codes[i],
                                       m_values.codes == ElementType::Uint64 && codes[i] < 0);
            if (!plan) {
                outcome.refuse(element, values[i], plan.error());
                continue;
            }
            outcome.note(values[i], plan->stored);
            if (plan->parts.empty() || outcome.refusal)
                continue;
            ++outcome.changed;
            TRY(m_planner.apply(*plan));
            const auto stored = static_cast<float>(plan->stored);
            TRY(check(element, std::span(&stored, 1)));
        }
        if (m_editors.empty() && !advance(run.count))
            return tl::unexpected(cancelledError("The edit was cancelled; nothing was changed"));
        return {};
    }

    /// What was planned decodes to what it was planned for.
    Result<void> check(std::uint64_t first, std::span<const float> after)
    {
        const auto found = std::span(m_check).first(after.size());
        m_planner.decoder().decodeFloat(first, found);
        for (std::size_t i = 0; i < after.size(); ++i) {
            if (!codec::sameValue(static_cast<double>(after[i]), static_cast<double>(found[i])))
                return refused(
                    "patch.verify", {}, fmt::format("{} for element {}", after[i], first + i),
                    fmt::format("{}", found[i]), "The bytes planned do not decode to the value");
        }
        return {};
    }

    bool advance(std::uint64_t count) const
    {
        return m_progress == nullptr || m_progress->advance(count);
    }

    WeightPlanner &m_planner;
    const EditValues &m_values;
    Progress *m_progress;
    codec::EditTolerance m_tolerance;
    std::vector<codec::RunEditor> m_editors;   ///< one a thread; none: element by element
    std::vector<std::vector<double>> m_wanted; ///< of a run, one a thread
    std::size_t m_atOnce;
    std::vector<Run> m_runs;
    std::vector<float> m_check = std::vector<float>(kChecked);
};

Error refusalOf(const codec::RunOutcome &outcome)
{
    Error error = *outcome.refusal;
    if (outcome.refused > 1)
        error.message += fmt::format("; {} of {} refused, the first is named",
                                     grouped(outcome.refused), counted(outcome.seen, "element"));
    return error;
}

/// Whether runs of flat indices do, without overlaps.
bool ascends(const std::vector<IndexRange> &runs)
{
    std::uint64_t end = 0;
    for (const IndexRange &run : runs) {
        if (run.start < end)
            return false;
        end = run.stop;
    }
    return true;
}

/// Runs of an edit that carries its values, in the order in which it has them.
Result<void> fillCarried(const Edit &edit, Filler &filler, const Weight &weight)
{
    const bool ordered = ascends(edit.indices);
    std::uint64_t done = 0;
    for (const IndexRange &run : edit.indices) {
        if (run.start >= run.stop || run.stop > weight.elements.value ||
            done + (run.stop - run.start) > carriedCount(edit))
            return refused("patch.index", weight.findableName(),
                           fmt::format("elements below {}", weight.elements.value),
                           fmt::format("{} to {}", run.start, run.stop),
                           "The values carried leave the weight");
        auto added = filler.add(run.start, run.stop - run.start, done);
        if (added && !ordered) // elements may come again
            added = filler.flush();
        if (!added)
            return added;
        done += run.stop - run.start;
    }
    return filler.flush();
}

Result<void> fillSelected(ElementSelection selection, Filler &filler)
{
    for (auto run = selection.next(); run.count > 0; run = selection.next()) {
        TRY(filler.add(run.first, run.count));
    }
    return filler.flush();
}

} // namespace

Result<ArraySource> ArraySource::ofTensor(const std::string &path, const std::string &name,
                                          const Weight &weight)
{
    const auto opened = openForReading(path);
    const auto &bundle = opened.bundle;
    if (!bundle)
        return tl::unexpected(bundle.error());
    if (const Error *fault = opened.fault())
        return tl::unexpected(*fault);
    // Of one array alone nothing has to be named.
    const bool alone = name.empty() && (*bundle)->weights().size() == 1;
    const auto index =
        alone ? Result<std::size_t>(0) : findWeight(**bundle, name.empty() ? weight.name : name);
    if (!index)
        return ErrorBuilder(index.error()).file(path).unexpected();
    const BundleReadLock lock(**bundle);
    const auto decoder = TRY((*bundle)->decoder(*index));
    ArraySource source;
    source.m_shape = (*bundle)->weights()[*index].shape;
    source.m_bundle = *bundle;
    source.m_decoder = decoder;
    return source;
}

Result<ArraySource> ArraySource::ofArray(const std::string &path)
{
    auto file = TRY(OverlaidFile::open(path, path));
    auto layout = readNpyLayout(file->bytes(), path);
    if (!layout) {
        // Of a file that another program cuts meanwhile that is the reason.
        TRY(file->checkSame());
        return tl::unexpected(std::move(layout.error()));
    }
    ArraySource source;
    source.m_shape = layout->shape;
    source.m_file = std::move(file);
    source.m_layout = std::move(*layout);
    return source;
}

Result<ArraySource> ArraySource::open(const std::string &source, const Weight &weight)
{
    const auto [path, name] = splitSource(source);
    std::error_code failure;
    const bool array =
        name.empty() && path.ends_with(".npy") && !std::filesystem::is_directory(path, failure);
    auto opened = array ? ofArray(path) : ofTensor(path, name, weight);
    if (opened && shapeWithoutOnes(opened->m_shape) != shapeWithoutOnes(weight.shape)) {
        return refused({source}, "patch.shape", {}, shapeText(weight.shape),
                       shapeText(opened->m_shape), "The array has not the shape of the weight");
    }
    return opened;
}

void ArraySource::read(std::uint64_t first, std::span<double> out) const
{
    if (m_file) {
        readNpyElements(m_file->bytes(), m_layout, first, out);
        return;
    }
    decodeDoubles(*m_decoder, first, out);
}

bool ArraySource::hasCodes() const
{
    return m_file ? isWideInteger(m_layout.type) : storesWideIntegers(*m_decoder);
}

void ArraySource::readCodes(std::uint64_t first, std::span<std::int64_t> out) const
{
    if (m_file)
        readNpyElements(m_file->bytes(), m_layout, first, out);
    else
        m_decoder->codes(first, out);
}

Result<void> ArraySource::checkUnchanged() const
{
    return m_file ? m_file->checkSame() : m_bundle->checkUnchanged();
}

Result<void> Planner::planMany(const Edit &edit, WeightPlanner &planner)
{
    EditValues values;
    std::optional<ArraySource> source;
    if (carriesValues(edit)) {
        values.read = [&edit](const Run &run, std::span<double> out) {
            readCarried(edit, run.valuesAt, out);
        };
    } else if (edit.kind == Edit::Kind::FromNpy) {
        source = TRY(ArraySource::open(edit.file, planner.weight()));
        values.read = [&source](const Run &run, std::span<double> out) {
            source->read(run.first, out);
        };
        values.codes = source->type();
        if (source->hasCodes() && storesWideIntegers(planner.decoder()))
            values.readCodes = [&source](const Run &run, std::span<std::int64_t> out) {
                source->readCodes(run.first, out);
            };
    } else if (edit.kind == Edit::Kind::Compute) {
        auto expression = TRY(Expression::parse({edit.expression, 0}));
        values.read = [&planner, expression = std::move(expression)](const Run &run,
                                                                     std::span<double> out) {
            decodeDoubles(planner.decoder(), run.first, out);
            expression.apply(out);
        };
    } else {
        values.read = [value = edit.value](const Run &, std::span<double> out) {
            std::ranges::fill(out, value);
        };
    }
    auto selection = ElementSelection::whole(planner.weight().elements.value);
    if (!carriesValues(edit) && !edit.indices.empty()) {
        selection = TRY(ElementSelection::make(edit.indices, planner.weight().shape));
    }
    const std::uint64_t elements = carriesValues(edit) ? carriedCount(edit) : selection.elements();
    m_announced += elements;
    if (m_progress != nullptr)
        m_progress->setTotal(m_announced);
    Filler filler(planner, values, m_tolerance, m_progress);
    auto filled = carriesValues(edit) ? fillCarried(edit, filler, planner.weight())
                                      : fillSelected(std::move(selection), filler);
    if (filled && source)
        filled = source->checkUnchanged();
    if (!filled)
        return filled;
    if (filler.outcome.refusal)
        return tl::unexpected(refusalOf(filler.outcome));
    noteOutcome(edit, filler.outcome, elements);
    return {};
}

void Planner::noteOutcome(const Edit &edit, const codec::RunOutcome &outcome,
                          std::uint64_t elements)
{
    const ElementType type = m_bundle->weights()[m_weight].type;
    m_applied.asked = outcome.asked;
    m_applied.stored = outcome.stored;
    m_applied.elements = elements;
    m_applied.note =
        fmt::format("{} of {} changed", grouped(outcome.changed), counted(elements, "element"));
    if (codec::isFarFrom(outcome.asked, outcome.stored))
        m_applied.note += fmt::format(
            "; at worst {} is held as {}, off by {:.4g}", valueText(outcome.asked, type),
            valueText(outcome.stored, type), std::abs(outcome.stored - outcome.asked));
    m_applied.newText = edit.kind == Edit::Kind::FromNpy   ? edit.file
                        : edit.kind == Edit::Kind::Compute ? edit.expression
                                                           : valueText(edit.value, type);
    m_applied.oldText = counted(elements, "element");
}

} // namespace kernscope::patch
