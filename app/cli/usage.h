// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class ParseError;
class Validator;
} // namespace CLI

/// Wrong use, said so that the next try is right.
namespace kernscope::cli {

struct Context;

/// The known word that a mistyped one is nearest to; empty where none is near.
std::string nearestWord(std::string_view typed, const std::vector<std::string> &known);

/// Says what is wrong with the command line that `app` could not parse: with --json as a document,
/// otherwise on standard error. Returns the exit code: 0 for help and the version.
int reportParseError(CLI::App &app, const CLI::ParseError &error, Context &context);

/// Says that a command was used in a wrong way; returns kUsage.
int reportUsage(Context &context, std::string_view command, const Error &error);
/// For options that are a real number: "nan" is none, which checks of a range let pass, as no
/// comparison with it holds.
const CLI::Validator &notNan();
/// For those of them that are 0 or more.
const CLI::Validator &notNegative();
/// An error of the command line itself: "cli.usage", about an option.
Error usageError(std::string field, std::string expected, std::string found, std::string message);

} // namespace kernscope::cli
