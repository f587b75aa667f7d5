// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/usage.h"

#include "app/cli/command.h"
#include "app/cli/text_output.h"
#include "core/base/error_builder.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace kernscope::cli {

namespace {

/// Insertions, deletions, replacements and exchanges of neighbours that lead from a to b.
std::size_t wordDistance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> before, row(b.size() + 1), next(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        next[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t changed = row[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            next[j] = std::min({changed, row[j] + 1, next[j - 1] + 1});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                next[j] = std::min(next[j], before[j - 2] + 1);
        }
        before = std::exchange(row, next);
    }
    return row.back();
}

std::vector<std::string> commandsOf(const CLI::App &app)
{
    std::vector<std::string> names;
    for (const CLI::App *command : app.get_subcommands([](const CLI::App *) { return true; }))
        names.push_back(command->get_name());
    return names;
}

std::vector<std::string> optionsOf(const CLI::App &app)
{
    std::vector<std::string> names;
    for (const CLI::Option *option : app.get_options()) {
        for (const std::string &name : option->get_lnames())
            names.push_back("--" + name);
        for (const std::string &name : option->get_snames())
            names.push_back("-" + name);
    }
    return names;
}

/// The command that was given, as deep as it was; the program itself where none was.
const CLI::App *deepest(const CLI::App &app)
{
    const CLI::App *at = &app;
    while (!at->get_subcommands().empty())
        at = at->get_subcommands().front();
    return at;
}

std::string fullName(const CLI::App &app)
{
    const CLI::App *parent = app.get_parent();
    return parent == nullptr ? app.get_name() : fullName(*parent) + " " + app.get_name();
}

Error unknownWord(std::string_view kind, const std::string &word,
                  const std::vector<std::string> &known)
{
    const std::string name = word.substr(0, word.find('='));
    const std::string nearest = nearestWord(name, known);
    std::string message = fmt::format("There is no {} {}", kind, name);
    if (!nearest.empty())
        message += fmt::format("; the nearest is {}", nearest);
    return ErrorBuilder(usageError({}, {}, {}, std::move(message))).found(name).expected(nearest);
}

/// What nothing in the command line stands for: a command, an option or one word too many.
std::optional<Error> unknownIn(const CLI::App &app, const CLI::App &command)
{
    const auto left = app.remaining(true);
    const auto option = std::find_if(left.begin(), left.end(), [](const std::string &word) {
        return word.size() > 1 && word.front() == '-' && word != "--";
    });
    const auto word = std::find_if(left.begin(), left.end(), [](const std::string &each) {
        return !each.empty() && each.front() != '-';
    });
    const auto commands = commandsOf(command);
    if (!commands.empty() && word != left.end())
        return unknownWord("command", *word, commands);
    if (option != left.end())
        return unknownWord("option", *option, optionsOf(command));
    if (word != left.end()) {
        return ErrorBuilder(
                   usageError({}, {}, {}, fmt::format("There is one argument too many: {}", *word)))
            .found(*word);
    }
    return std::nullopt;
}

} // namespace

std::string nearestWord(std::string_view typed, const std::vector<std::string> &known)
{
    std::string nearest;
    std::size_t best = std::max<std::size_t>(2, typed.size() / 3) + 1;
    for (const std::string &word : known) {
        const bool begins = typed.size() >= 3 && std::string_view(word).starts_with(typed);
        const std::size_t distance = begins ? 0 : wordDistance(typed, word);
        if (distance < best && distance < typed.size()) {
            best = distance;
            nearest = word;
        }
    }
    return nearest;
}

const CLI::Validator &notNan()
{
    static const CLI::Validator kCheck(
        [](std::string &text) {
            return std::isnan(std::strtod(text.c_str(), nullptr))
                       ? fmt::format("Value {} is not a number", text)
                       : std::string();
        },
        std::string());
    return kCheck;
}

const CLI::Validator &notNegative()
{
    static const CLI::Validator kCheck(
        [](std::string &text) {
            char *end = nullptr;
            const double value = std::strtod(text.c_str(), &end);
            if (end == text.c_str() || *end != '\0' || std::isnan(value))
                return fmt::format("Value {} is not a number", text);
            return value < 0 ? fmt::format("Value {} is below 0", text) : std::string();
        },
        "NONNEGATIVE");
    return kCheck;
}

Error usageError(std::string field, std::string expected, std::string found, std::string message)
{
    return valueError("cli.usage", std::move(field), std::move(expected), std::move(found),
                      std::move(message));
}

int reportUsage(Context &context, std::string_view command, const Error &error)
{
    reportFailure(context, command, error);
    return kUsage;
}

int reportParseError(CLI::App &app, const CLI::ParseError &error, Context &context)
{
    if (error.get_exit_code() == 0) // help or the version
        return app.exit(error) == 0 ? kDone : kUsage;
    const CLI::App *command = deepest(app);
    const std::string name = fullName(*command);
    auto wrong = unknownIn(app, *command);
    if (!wrong) {
        wrong = usageError({}, {}, {}, error.what());
        if (error.get_name() == "RequiredError" && !commandsOf(*command).empty()) {
            wrong->message = "A command is needed";
            for (const std::string &each : commandsOf(*command))
                wrong->expected += (wrong->expected.empty() ? "" : ", ") + each;
        }
    }
    const CLI::App *top = app.get_subcommands().empty() ? nullptr : app.get_subcommands().front();
    const int code = reportUsage(context, top == nullptr ? "" : top->get_name(), *wrong);
    if (!context.json)
        complain(fmt::format("Options and examples: {} --help", name));
    return code;
}

} // namespace kernscope::cli
