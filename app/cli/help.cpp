// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"

#include "core/bundle/bundle.h"
#include "core/plan/weight_error.h"
#include "core/target/target.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include <CLI/CLI.hpp>

namespace kernscope::cli {

namespace {

constexpr std::size_t kColumn = 34; ///< where descriptions begin
constexpr std::size_t kPlainWidth = 80, kWidest = 100;

/// What CLI11 calls a type, as a person would.
std::string valueName(const CLI::Option &option)
{
    const std::vector<std::string> values = valuesOf(option);
    if (!values.empty()) {
        std::string text;
        for (const std::string &value : values)
            text += (text.empty() ? "" : "|") + value;
        return text;
    }
    std::string word = option.get_type_name();
    // What checks add to it: "X:NONNEGATIVE", "UINT:INT in [1 - 8]".
    for (const char *check : {":NON", ":POSITIVE", ":NUMBER", ":INT", ":UINT", ":FLOAT"})
        word.resize(std::min(word.find(check), word.size()));
    return word == "UINT" || word == "INT" ? "N" : word == "FLOAT" ? "X" : word;
}

class HelpFormatter : public CLI::Formatter
{
public:
    std::string make_help(const CLI::App *app, std::string name,
                          CLI::AppFormatMode mode) const override
    {
        const std::size_t terminal = terminalWidth();
        const std::size_t width = terminal == 0 ? kPlainWidth : std::min(terminal, kWidest);
        return wrapped(CLI::Formatter::make_help(app, std::move(name), mode), width);
    }

    std::string make_option_opts(const CLI::Option *option) const override
    {
        if (option->get_type_size() == 0) // a flag
            return {};
        std::string text = " " + valueName(*option);
        if (!option->get_default_str().empty())
            text += " (" + option->get_default_str() + ")";
        if (option->get_expected_max() == CLI::detail::expected_max_vector_size &&
            !text.ends_with("..."))
            text += " ...";
        if (option->get_required() && !option->get_positional())
            text += " (required)";
        return text;
    }

    std::string make_option_usage(const CLI::Option *option) const override
    {
        const std::string name =
            make_option_name(option, true) + (option->get_expected_max() > 1 ? "..." : "");
        return option->get_required() ? name : "[" + name + "]";
    }
};

struct Group {
    const char *name;
    std::vector<const char *> commands;
};

/// The group's name goes on after the word that begins a list of commands.
const std::vector<Group> &groups()
{
    static const std::vector<Group> all{
        {"Subcommands: look into files",
         {"inspect", "weight", "bytes", "find", "graph", "decode", "hwx", "odix", "survey"}},
        {"Subcommands: compare and change", {"diff", "audit", "patch", "recover", "convert"}},
        {"Subcommands: forms",
         {"encode", "convert", "plan", "choose", "quantize", "relayout", "dequantize"}},
        {"Subcommands: chips",
         {"decide", "geometry", "roofline", "reduce", "calibrate", "targets", "formats",
          "descriptor", "collective", "activation", "section"}},
    };
    return all;
}

template <class App>
App *commandNamed(App &app, const std::string &name)
{
    for (App *command : app.get_subcommands([](App *) { return true; })) {
        if (command->get_name() == name)
            return command;
    }
    return nullptr;
}

const CLI::Option *optionNamed(const CLI::App &command, const std::string &word)
{
    for (const CLI::Option *option : command.get_options()) {
        if (word.size() > 1 && word.front() == '-' && option->check_name(word))
            return option;
    }
    return nullptr;
}

std::vector<std::string> chipNames()
{
    std::vector<std::string> names;
    for (const target::Target &target : target::targets()) {
        names.push_back(target.name);
        names.insert(names.end(), target.aliases.begin(), target.aliases.end());
    }
    return names;
}

/// Of the first word that is a bundle; an ill one has none.
std::vector<std::string> weightNames(const std::vector<std::string> &words)
{
    std::vector<std::string> names;
    for (const std::string &word : words) {
        std::error_code none;
        if (word.starts_with('-') || !std::filesystem::exists(word, none))
            continue;
        if (const auto bundle = Bundle::open(word)) {
            for (const Weight &weight : (*bundle)->weights())
                names.push_back(weight.findableName());
        }
        break;
    }
    return names;
}

std::vector<std::string> valuesAfter(const CLI::Option &option,
                                     const std::vector<std::string> &words)
{
    const std::string name = option.get_name();
    if (name == "--target")
        return chipNames();
    if (name == "--weight")
        return weightNames(words);
    if (name == "--forms")
        return plan::formExamples();
    return valuesOf(option);
}

/// What the last of these words may become; nothing where it may be the name of a file.
std::vector<std::string> candidates(const CLI::App &app, std::vector<std::string> words)
{
    std::erase(words, "="); // bash parts --option=value
    std::string last = words.empty() ? std::string() : words.back(), joined;
    if (!words.empty())
        words.pop_back();
    if (const std::size_t equal = last.find('='); last.starts_with("--") && equal != last.npos) {
        words.push_back(last.substr(0, equal));
        joined = last.substr(0, equal + 1);
        last.erase(0, equal + 1);
    }
    if (!words.empty() && words.front() == "help")
        words.erase(words.begin());
    const CLI::App *at = &app;
    std::size_t deep = 0;
    while (deep < words.size()) {
        const CLI::App *next = commandNamed(*at, words[deep]);
        if (next == nullptr)
            break;
        at = next;
        ++deep;
    }
    std::vector<std::string> all;
    const CLI::Option *before = words.empty() ? nullptr : optionNamed(*at, words.back());
    if (before != nullptr && before->get_type_size() != 0) {
        all = valuesAfter(*before, words);
    } else if (last.starts_with('-')) {
        for (const CLI::Option *option : at->get_options()) {
            for (const std::string &name : option->get_lnames())
                if (!option->get_group().empty())
                    all.push_back("--" + name);
        }
    } else if (deep == words.size()) {
        for (const CLI::App *each : at->get_subcommands([](const CLI::App *) { return true; }))
            all.push_back(each->get_name());
    } else if (at->get_option_no_throw("name") != nullptr) {
        all = weightNames({words.begin() + static_cast<std::ptrdiff_t>(deep), words.end()});
    }
    std::erase_if(all, [&last](const std::string &word) { return !word.starts_with(last); });
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    for (std::string &word : all)
        word.insert(0, joined);
    return all;
}

} // namespace

std::shared_ptr<CLI::FormatterBase> helpFormatter()
{
    auto formatter = std::make_shared<HelpFormatter>();
    formatter->column_width(kColumn);
    return formatter;
}

void groupCommands(CLI::App &app)
{
    for (const Group &group : groups()) {
        for (const char *name : group.commands) {
            if (CLI::App *command = commandNamed(app, name))
                command->group(group.name);
        }
    }
}

std::vector<std::string> valuesOf(const CLI::Option &option)
{
    const std::string type = option.get_type_name(); // "TEXT:{fp16,fp32}"
    const std::size_t begin = type.find('{'), end = type.rfind('}');
    std::vector<std::string> values;
    if (begin == std::string::npos || end == std::string::npos)
        return values;
    std::istringstream list(type.substr(begin + 1, end - begin - 1));
    for (std::string value; std::getline(list, value, ',');)
        values.push_back(value);
    return values;
}

void printCompletions(const CLI::App &app, std::vector<std::string> words)
{
    for (const std::string &word : candidates(app, std::move(words)))
        printWhole(word + "\n");
}

} // namespace kernscope::cli
