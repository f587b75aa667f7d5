// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class FormatterBase;
class Option;
} // namespace CLI

/// What the tree of commands tells people and shells.
namespace kernscope::cli {

/// Help in our own words, no wider than the terminal; 80 columns where standard output is none.
std::shared_ptr<CLI::FormatterBase> helpFormatter();
/// resources/help/scripts.md: each command with what it prints as JSON.
extern const std::string_view kScriptsPage;
/// Puts the commands of the program into groups, in the order of a release's work.
void groupCommands(CLI::App &app);
/// The values that an option takes one of; empty where it takes others.
std::vector<std::string> valuesOf(const CLI::Option &option);

/// `completion WORD…`: prints, one a line, what the last of the words may become, for the shells'
/// own scripts (packaging/linux): commands, options, their values, chips, and the weights of a
/// bundle that is named in the line. Nothing where the name of a file may stand. Not in the help.
void printCompletions(const CLI::App &app, std::vector<std::string> words);

} // namespace kernscope::cli
