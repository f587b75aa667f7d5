// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What sources of the window may use without naming it: all this is in their precompiled header
// (KERNSCOPE_WIDGETS_HEADERS), and moc needs none of it. Headers name what they need.
#ifndef Q_MOC_RUN
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <deque>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <QtWidgets/QtWidgets>

using namespace Qt::StringLiterals; // u"text"_s, "text"_L1
#endif
