// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/mil/pipeline_folders.h"

#include <charconv>
#include <map>
#include <optional>

namespace kernscope::mil {

namespace {

constexpr std::size_t kMostMembers = 4096, kMostNested = 16;

/// 3 of "model3"; "model03" is no such name.
std::optional<std::uint32_t> memberNumber(std::string_view name)
{
    constexpr std::string_view kBegin = "model";
    if (!name.starts_with(kBegin))
        return std::nullopt;
    name.remove_prefix(kBegin.size());
    std::uint32_t number = 0;
    const auto [end, fault] = std::from_chars(name.data(), name.data() + name.size(), number);
    const bool whole = fault == std::errc() && end == name.data() + name.size();
    return whole && (name.size() == 1 || name.front() != '0') ? std::optional(number)
                                                              : std::nullopt;
}

} // namespace

std::vector<PipelineMember> pipelineMembers(const std::vector<std::string_view> &files)
{
    std::map<std::vector<std::uint32_t>, PipelineMember> found;
    for (const std::string_view file : files) {
        std::vector<std::uint32_t> numbers;
        PipelineMember *member = nullptr;
        std::size_t begin = 0;
        for (std::size_t slash = file.find('/'); slash != file.npos && numbers.size() < kMostNested;
             slash = file.find('/', begin)) {
            const auto number = memberNumber(file.substr(begin, slash - begin));
            if (!number)
                break;
            numbers.push_back(*number);
            if (found.size() >= kMostMembers && found.count(numbers) == 0) {
                member = nullptr;
                break;
            }
            if (member != nullptr)
                member->pipeline = true;
            member = &found[numbers];
            member->path = file.substr(0, slash);
            begin = slash + 1;
        }
        if (member == nullptr)
            continue;
        const std::string_view name = file.substr(begin);
        member->program |= name == "model.mil";
        member->network |= name == "model.espresso.net";
        member->metadata |= name == "metadata.json";
    }
    std::vector<PipelineMember> members;
    for (auto &[numbers, member] : found)
        members.push_back(std::move(member));
    return members;
}

bool isMemberFolder(std::string_view path)
{
    if (!path.ends_with('/'))
        return false;
    path.remove_suffix(1);
    return memberNumber(path.substr(path.rfind('/') + 1)).has_value();
}

} // namespace kernscope::mil
