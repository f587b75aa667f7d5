// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/codec/edit/code_chooser.h"
#include "core/codec/edit/edit_common.h"
#include "core/codec/edit/run_editor.h"

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

/// Private to the editor of runs: what it holds, its choice of codes (run_editor.cpp), and the
/// codes in their bytes (run_editor_codes.cpp).
namespace kernscope::codec {

inline bool equalValues(double a, double b)
{
    return a == b || (std::isnan(a) && std::isnan(b));
}

/// What an element takes for a value.
struct Taking {
    double becomes = 0;
    double error = 0;
    bool stays = false;   ///< none of the codes that were looked at is nearer than its own
    bool refused = false; ///< neither is near enough
};
/// `now`: what it decodes to; `plainTo`: the type of numbers stored as they are, or Unknown.
Taking takingOf(double now, double value, double tolerance,
                const std::optional<CodeCandidate> &chosen, ElementType plainTo);

/// Whether runs of such a weight can be set at once.
bool takesRuns(const Decoder::State &state);

struct RunEditor::State {
    State(const Decoder &made, const Decoder::State &decoded)
        : decoder(made), state(decoded), chooser(decoded), width(codeWidth(decoded)),
          plainTo(plainType(decoded))
    {
    }

    void setOne(std::uint64_t element, std::uint64_t index, double value, double tolerance,
                float &held, RunOutcome &outcome);
    /// The element's code becomes `chosen`, or stays.
    void take(std::uint64_t element, std::uint64_t index, double value, double tolerance,
              float &held, const std::optional<CodeCandidate> &chosen, RunOutcome &outcome);
    /// take() of the first of some elements whose tolerance alone decides it, many at a time: those
    /// of codes of one byte or less from `index` on, whose nearest codes are `codes`, of
    /// the values `nearest`. Returns how many. Of doubles or floats.
    template <class Value>
    std::size_t takeMany(std::uint64_t index, std::span<const Value> values,
                         EditTolerance tolerance, std::span<const Value> nearest,
                         std::span<const std::uint8_t> codes, std::span<float> held,
                         RunOutcome &outcome);
    /// setFinite() of elements that share their codebook and scale: finds their nearest codes.
    void findSame(std::uint64_t element, std::span<const double> values);
    /// Takes the codes that were found for elements from `element` on, of the values `nearest`.
    template <class Value>
    void takeFound(std::uint64_t element, std::uint64_t index, std::span<const Value> values,
                   std::span<const Value> nearest, EditTolerance tolerance, std::span<float> held,
                   RunOutcome &outcome);
    void setAlikeOne(const std::optional<CodeCandidate> &chosen, std::uint64_t element,
                     std::uint64_t index, double value, double tolerance, float &held,
                     RunOutcome &outcome);
    /// setOne for finite values, with what they share looked up once.
    bool setFinite(std::uint64_t element, std::uint64_t index, std::span<const double> values,
                   EditTolerance tolerance, std::span<float> held, RunOutcome &outcome);
    void refuse(std::uint64_t element, double value, double tolerance, RunOutcome &outcome) const;
    /// setOne for elements that are stored, from code `index` on, by what they share.
    void setAlike(std::uint64_t element, std::uint64_t index, std::span<const double> values,
                  EditTolerance tolerance, std::span<float> held, RunOutcome &outcome);
    /// Finite fp32 numbers, all of them at once (run_editor_floats.cpp); false where nothing was
    /// done.
    bool setFloats(std::uint64_t element, std::uint64_t index, std::span<const float> values,
                   EditTolerance tolerance, std::span<float> held, RunOutcome &outcome);
    /// setHalves() of the elements that a mask names; false also where others were to change. What
    /// `held` was does not matter.
    bool setKeptHalves(std::uint64_t element, std::uint64_t index, std::span<const float> values,
                       std::span<float> held, RunOutcome &outcome);
    /// Numbers stored as they are in fp16. False where one of them has no fp16 number near it.
    bool setHalves(std::uint64_t index, std::span<const float> values, std::span<float> held,
                   RunOutcome &outcome);
    /// Codes of palettes.
    void setPlaced(std::uint64_t element, std::uint64_t index, std::span<const float> values,
                   EditTolerance tolerance, std::span<float> held, RunOutcome &outcome);
    std::optional<std::uint64_t> begin(std::uint64_t first, std::size_t count, RunOutcome &outcome);
    void setLoaded(std::uint64_t first, std::uint64_t from, std::span<const double> values,
                   EditTolerance tolerance, std::span<float> held, RunOutcome &outcome);
    void setEach(std::uint64_t first, std::uint64_t from, std::span<const double> values,
                 EditTolerance tolerance, std::span<float> held, RunOutcome &outcome);
    /// All elements at once where that can be; false where nothing was done.
    bool setMany(std::uint64_t element, std::uint64_t index, std::span<const double> values,
                 EditTolerance tolerance, std::span<float> held, RunOutcome &outcome);
    /// Whether setDirect() is for such a weight (run_editor_direct.cpp, with the next four).
    bool isDirect() const;
    /// setDirect(). `spare`: by how much of it a value may be off what is meant.
    bool takeDirect(std::uint64_t first, std::span<const float> values, float spare,
                    EditTolerance tolerance, std::span<float> held, RunOutcome &outcome);
    /// Integer codes under scales, all of them at once; false where that does not settle each of
    /// them: the codes that were loaded are then anything.
    bool takeAllSteps(std::uint64_t element, std::uint64_t index, std::span<const float> values,
                      float spare, EditTolerance tolerance, RunOutcome &outcome);
    bool findSteps(std::uint64_t element, std::size_t count);
    /// The same for numbers stored in fp16.
    bool roundAll(std::uint64_t index, std::span<const float> values, RunOutcome &outcome);

    Decoder decoder;
    const Decoder::State &state; ///< of `decoder`
    CodeChooser chooser;
    unsigned width;
    ElementType plainTo;
    bool ordered() const { return state.payload.order != nullptr; }
    /// Codes [from, to) of the payload, which are those of the elements from `first` on.
    void load(std::uint64_t from, std::uint64_t to);
    void loadOrdered(std::uint64_t first, std::size_t count);
    bool stored(std::uint64_t element, std::size_t i) const
    {
        return ordered() ? positions[i] != ElementOrder::kAbsent
                         : !state.mask || state.mask->test(element);
    }
    void store(std::uint64_t index, std::uint64_t element, std::int64_t code);
    std::vector<PartEdit> takeBytes();
    std::vector<PartEdit> takeOrdered();

    std::uint64_t firstByte = 0; ///< of `packed` in the payload
    std::uint64_t firstCode = 0; ///< code that lies at the start of `packed`
    std::vector<std::byte> packed;
    std::vector<std::uint8_t> narrow; ///< the codes of `packed`, where they share bytes
    std::uint64_t enteredEnd = 0;     ///< elements up to it share what the chooser entered

    /// Of a payload with an order of its own: where the run's codes lie, and what is to change.
    struct OrderedCode {
        std::uint64_t position = 0; ///< of its first bit, as the order counts them
        std::int64_t code = 0;
    };
    std::vector<std::uint64_t> positions;
    std::vector<OrderedCode> orderedCodes;

    std::vector<double> nearestValues;      ///< of takeFound and setAlike
    std::vector<std::uint8_t> nearestCodes; ///< of takeFound and setAlike
    std::vector<double> wideRun;            ///< of a run of floats
    std::vector<float> floats, rounded;     ///< of setFloats
    std::vector<std::uint16_t> halves;
    std::vector<float> keptValues, keptHeld;   ///< of setKeptHalves
    std::vector<float> scales, offsets;        ///< of takeAllSteps
    std::uint64_t stepsFrom = 0, stepsEnd = 0; ///< elements that share those of `scales`
};

} // namespace kernscope::codec
