// SPDX-License-Identifier: GPL-3.0-or-later
// The table of encoders. A new one is a file under encode/forms and two lines here.
#include "core/codec/encode/form_encoder.h"

#include <algorithm>
#include <array>

namespace kernscope::codec {

extern const FormEncoder kDenseEncoder, kAffineEncoder, kPaletteEncoder, kBlockwiseEncoder,
    kSparseEncoder;

namespace {

constexpr std::array kEncoders{&kDenseEncoder, &kAffineEncoder, &kPaletteEncoder, &kSparseEncoder,
                               &kBlockwiseEncoder};

template <class Matches>
const FormEncoder *firstEncoder(const Matches &matches)
{
    const auto found = std::find_if(kEncoders.begin(), kEncoders.end(),
                                    [&](const FormEncoder *row) { return matches(*row); });
    return found == kEncoders.end() ? nullptr : *found;
}

} // namespace

std::span<const FormEncoder *const> formEncoders()
{
    return kEncoders;
}

const FormEncoder *formEncoder(FormNode node)
{
    return firstEncoder([node](const FormEncoder &row) { return row.node == node; });
}

const FormEncoder *formEncoderOfName(std::string_view name)
{
    return firstEncoder([name](const FormEncoder &row) {
        return std::any_of(row.prefixes.begin(), row.prefixes.end(),
                           [name](std::string_view prefix) { return name.starts_with(prefix); });
    });
}

const FormEncoder *formEncoderOfWord(std::string_view word)
{
    return firstEncoder([word](const FormEncoder &row) { return row.word == word; });
}

std::vector<std::string> encoderWordList()
{
    std::vector<std::string> words;
    for (const FormEncoder *row : kEncoders)
        words.emplace_back(row->word);
    return words;
}

std::vector<std::string> survivorWordList()
{
    std::vector<std::string> words{"plain"};
    for (const FormEncoder *row : kEncoders) {
        if (row->encodeKept != nullptr)
            words.emplace_back(row->word);
    }
    return words;
}

std::string encoderWords()
{
    std::string words;
    for (const FormEncoder *row : kEncoders) {
        if (!words.empty())
            words += row == kEncoders.back() ? " or " : ", ";
        words += row->word;
    }
    return words;
}

} // namespace kernscope::codec
