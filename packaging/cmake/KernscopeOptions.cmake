# SPDX-License-Identifier: GPL-3.0-or-later
# Compiler settings of every target of ours, and the functions that make one.

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
endif()

if(KERNSCOPE_SANITIZE)
    add_compile_options(-fsanitize=${KERNSCOPE_SANITIZE} -fno-omit-frame-pointer
        -fno-sanitize-recover=undefined)
    add_link_options(-fsanitize=${KERNSCOPE_SANITIZE})
endif()
if(KERNSCOPE_FUZZ)
    # Coverage feedback in every object; only the fuzz targets link the engine.
    add_compile_options(-fsanitize=fuzzer-no-link)
endif()

add_library(kernscope_options INTERFACE)
target_include_directories(kernscope_options INTERFACE "${CMAKE_SOURCE_DIR}")
target_compile_features(kernscope_options INTERFACE cxx_std_20)
target_compile_options(kernscope_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
if(KERNSCOPE_WERROR)
    target_compile_options(kernscope_options INTERFACE -Werror)
endif()

# One library a folder of core/, so that the linker keeps the order of architecture.md.
#   kernscope_core_library(base SOURCES a.cpp … DEPENDS kernscope::x … PRIVATE lib …)
function(kernscope_core_library name)
    cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;PRIVATE" ${ARGN})
    add_library(kernscope_${name} STATIC ${ARG_SOURCES})
    add_library(kernscope::${name} ALIAS kernscope_${name})
    set_target_properties(kernscope_${name} PROPERTIES
        AUTOMOC OFF AUTOUIC OFF AUTORCC OFF POSITION_INDEPENDENT_CODE ON)
    target_link_libraries(kernscope_${name}
        PUBLIC tl::expected ${ARG_DEPENDS}
        PRIVATE kernscope_options ${ARG_PRIVATE})
    target_include_directories(kernscope_${name} PUBLIC "${CMAKE_SOURCE_DIR}")
endfunction()

# A Qt Test program. Tests that read KERNSCOPE_DATA take the label data.
#   kernscope_test(tst_name SOURCES tst_name.cpp LIBRARIES kernscope::x … [LABELS data])
function(kernscope_test name)
    cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES;LABELS" ${ARGN})
    add_executable(${name} ${ARG_SOURCES})
    target_link_libraries(${name} PRIVATE kernscope_options ${ARG_LIBRARIES} Qt6::Core Qt6::Test)
    target_compile_definitions(${name} PRIVATE
        KERNSCOPE_SOURCE_DIR="${CMAKE_SOURCE_DIR}" QT_NO_CAST_FROM_ASCII)
    add_test(NAME ${name} COMMAND ${name} -o -,txt)
    set_tests_properties(${name} PROPERTIES TIMEOUT 300 LABELS "qt;${ARG_LABELS}"
        ENVIRONMENT "QT_QPA_PLATFORM=offscreen;LC_ALL=C.UTF-8;UBSAN_OPTIONS=print_stacktrace=1")
endfunction()
