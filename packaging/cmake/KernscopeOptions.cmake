# SPDX-License-Identifier: GPL-3.0-or-later
# Compiler settings of every target of ours, and the functions that make one.

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
endif()

# A sixth of g++'s time goes into its garbage collector, which need not run where there is memory: half
# of it is divided among the compilers that run at once. Most batches take less than 2 GB. Debian
# packages (build type None) are the same on every machine: their debugging data names the flag.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_BUILD_TYPE STREQUAL "None")
    cmake_host_system_information(RESULT memory QUERY TOTAL_PHYSICAL_MEMORY)
    cmake_host_system_information(RESULT processors QUERY NUMBER_OF_LOGICAL_CORES)
    math(EXPR heap "${memory} * 512 / ${processors}")
    if(heap GREATER 2000000)
        set(heap 2000000)
    endif()
    if(heap GREATER 131072)
        add_compile_options(--param=ggc-min-heapsize=${heap})
    endif()
endif()

# Every build checks its stack, its buffers and the indices of its containers: by sanitizers, or by
# these. Debian packages (build type None) take the flags of dpkg; buffers are checked where the
# compiler optimises, as it does not for tests.
if(NOT KERNSCOPE_SANITIZE)
    add_compile_definitions(_GLIBCXX_ASSERTIONS)
    if(NOT CMAKE_BUILD_TYPE STREQUAL "None" AND NOT APPLE)
        add_compile_options(-fstack-protector-strong -fstack-clash-protection)
        add_link_options(-Wl,-z,relro,-z,now)
    endif()
    if(CMAKE_BUILD_TYPE MATCHES "^(Release|RelWithDebInfo)$")
        add_compile_options(-D_FORTIFY_SOURCE=2)
    endif()
endif()

if(KERNSCOPE_SANITIZE)
    # g++ takes longer for the words of each of UBSan's checks than for all else. A check that fails is a
    # trap there, whose place AddressSanitizer says.
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        set(fatal -fsanitize-undefined-trap-on-error)
    else()
        set(fatal -fno-sanitize-recover=undefined)
    endif()
    add_compile_options(-fsanitize=${KERNSCOPE_SANITIZE} -fno-omit-frame-pointer ${fatal})
    add_link_options(-fsanitize=${KERNSCOPE_SANITIZE})
    # Half of the compiler's time goes into checks of each access to a member, whose faults
    # AddressSanitizer sees as well.
    if(KERNSCOPE_SANITIZE MATCHES "address.*undefined")
        add_compile_options(-fno-sanitize=null,vptr,object-size,nonnull-attribute
            -fno-sanitize=returns-nonnull-attribute)
        # By hand and at night only: a sixth of it is for alignment.
        if(DEFINED ENV{CI})
            add_compile_options(-fno-sanitize=alignment)
        endif()
    endif()
endif()
if(KERNSCOPE_FUZZ)
    # Coverage feedback in every object; only the fuzz targets link the engine.
    add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# A hundred test programs are linked: gold takes a third of the time that bfd does.
include(CheckLinkerFlag)
check_linker_flag(CXX -fuse-ld=gold KERNSCOPE_HAS_GOLD)
if(KERNSCOPE_HAS_GOLD AND NOT KERNSCOPE_SANITIZE)
    add_link_options(-fuse-ld=gold)
endif()

add_library(kernscope_options INTERFACE)
target_include_directories(kernscope_options INTERFACE "${CMAKE_SOURCE_DIR}")
target_compile_features(kernscope_options INTERFACE cxx_std_20)
target_compile_options(kernscope_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow
    $<$<NOT:$<BOOL:$<TARGET_PROPERTY:KERNSCOPE_TEST>>>:-Wconversion>) # Qt 6.8's QTRY_… convert
if(KERNSCOPE_WERROR)
    target_compile_options(kernscope_options INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # g++ 12 sees overlaps and overruns inside its own std::string (GCC bugs 105329, 105651),
    # depending on what it inlines.
    target_compile_options(kernscope_options INTERFACE -Wno-array-bounds -Wno-restrict
        -Wno-stringop-overflow -Wno-stringop-overread -Wno-maybe-uninitialized)
endif()
# CI's two builds, of the core's tests with AddressSanitizer and of all others without, run once: what
# counts is how soon they are built.
option(KERNSCOPE_CORE_TESTS "Build and run the core's tests (CI runs them under sanitizers)" ON)
# What is tested has the checks: tests without take a third of the compiler's time less.
set(KERNSCOPE_UNCHECKED_TESTS OFF)
if(KERNSCOPE_SANITIZE MATCHES "address" AND NOT KERNSCOPE_FUZZ)
    set(KERNSCOPE_UNCHECKED_TESTS ON)
endif()
# Sources that are compiled together: twice as many take a sixth less of it, and up to 2 GB of memory.
set(KERNSCOPE_ONCE OFF)
set(KERNSCOPE_GROUP 12)
if(KERNSCOPE_UNCHECKED_TESTS OR NOT KERNSCOPE_CORE_TESTS)
    set(KERNSCOPE_ONCE ON)
    set(KERNSCOPE_GROUP 24)
    # A local name may be one of another source: batches of the usual size are compiled by authors.
    if(NOT KERNSCOPE_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        target_compile_options(kernscope_options INTERFACE -Wno-shadow -Wshadow=local)
    endif()
endif()
# Tables, texts and docks: a third of the compiler's time is saved, and none of theirs is spent in
# loops over elements. In what runs once they are not optimised at all, but for the readers of files,
# which tests with checks give thousands of broken ones.
#   kernscope_plain(target)
set(KERNSCOPE_UNLOOPED "^kernscope_(audit|bundle|search)$")
function(kernscope_plain target)
    set(level -O1)
    if(NOT KERNSCOPE_CORE_TESTS OR (KERNSCOPE_UNCHECKED_TESTS AND target MATCHES
        "_(chip_report|facade|graph|plan|readers|report|target|weights)$|${KERNSCOPE_UNLOOPED}"))
        set(level -O0)
    endif()
    target_compile_options(${target} PRIVATE $<$<NOT:$<CONFIG:Debug>>:${level}>)
    if(level STREQUAL "-O0")
        target_compile_options(${target} PRIVATE -U_FORTIFY_SOURCE)
    endif()
    # In CI: a quarter of the compiler's time is for arithmetic of texts and tables.
    if(DEFINED ENV{CI} AND KERNSCOPE_UNCHECKED_TESTS AND level STREQUAL "-O0")
        target_compile_options(${target} PRIVATE -fno-sanitize=undefined)
        string(APPEND level _defined)
    endif()
    set(level ${level} PARENT_SCOPE)
endfunction()

# Where the compiler spends its time: headers. Each group of targets with equal settings shares one
# precompiled header; the include lists of the sources stay complete (the fuzz build has none).
option(KERNSCOPE_UNITY "Compile sources of one target together" ON)
option(KERNSCOPE_PCH "Precompile headers" ON)
if(KERNSCOPE_PCH AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-fpch-preprocess) # what ccache needs to see through them
elseif(KERNSCOPE_PCH)
    set(KERNSCOPE_PCH OFF)
endif()

#   kernscope_precompile(target OWNER owner HEADERS <a> …): made with the owner, used by the others
function(kernscope_precompile target)
    cmake_parse_arguments(ARG "" "OWNER" "HEADERS" ${ARGN})
    if(NOT KERNSCOPE_PCH)
        return()
    endif()
    if(target STREQUAL ARG_OWNER)
        target_precompile_headers(${target} PRIVATE ${ARG_HEADERS})
    else()
        target_precompile_headers(${target} REUSE_FROM ${ARG_OWNER})
    endif()
endfunction()

# Whole builds are made of far fewer compiler runs: several sources of a target in each. They are
# counted off here, so that every CMake compiles the same ones together. Alone stay sources that
# Highway compiles once a target, as they include themselves, and what moc writes.
#   kernscope_unite(target)
function(kernscope_unite target)
    if(NOT KERNSCOPE_UNITY)
        return()
    endif()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    get_target_property(sources ${target} SOURCES)
    get_target_property(folder ${target} SOURCE_DIR)
    set(number 0)
    foreach(source IN LISTS sources)
        cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${folder}")
        if(NOT source MATCHES "\\.cpp$" OR NOT EXISTS "${source}")
            continue()
        endif()
        file(STRINGS "${source}" itself REGEX "define HWY_TARGET_INCLUDE")
        if(NOT itself)
            math(EXPR group "${number} / ${KERNSCOPE_GROUP}")
            math(EXPR number "${number} + 1")
            set_source_files_properties("${source}" TARGET_DIRECTORY ${target}
                PROPERTIES UNITY_GROUP ${group})
        elseif(KERNSCOPE_FUZZ)
            # clang takes minutes for one of these with checks; check.sh has them checked by g++.
            set_property(SOURCE "${source}" TARGET_DIRECTORY ${target} APPEND PROPERTY
                COMPILE_OPTIONS -fno-sanitize=all)
        endif()
    endforeach()
endfunction()

set(KERNSCOPE_CORE_HEADERS <algorithm> <array> <atomic> <functional> <map> <memory> <mutex>
    <optional> <span> <string> <string_view> <thread> <unordered_map> <variant> <vector>
    <fmt/format.h> <tl/expected.hpp>)

# Two hundred test programs, each with the core in it, are gigabytes that take minutes to link. Where
# they are built, they share two libraries: the core, and the window. The programs themselves are
# linked as they are shipped.
option(KERNSCOPE_SHARED "Link tests with two shared libraries made of the static ones" OFF)
if(KERNSCOPE_SHARED)
    set(CMAKE_POSITION_INDEPENDENT_CODE ON)
    set(CMAKE_LINK_DEPENDS_NO_SHARED ON) # a changed source is linked once, not in every test
    add_compile_options(-fno-semantic-interposition) # calls are inlined as in a static library
endif()

# Gives the library kernscope_NAME the name that tests link, kernscope::NAME: the shared library WHOLE
# (kernscope_whole_core or kernscope_whole_window) with KERNSCOPE_SHARED, itself without.
#   kernscope_name_for_tests(name WHOLE)
function(kernscope_name_for_tests name whole)
    get_target_property(type kernscope_${name} TYPE)
    if(type STREQUAL "STATIC_LIBRARY")
        set_property(GLOBAL APPEND PROPERTY ${whole}_PARTS kernscope_${name})
    endif()
    if(NOT KERNSCOPE_SHARED)
        add_library(kernscope::${name} ALIAS kernscope_${name})
        return()
    endif()
    add_library(kernscope_${name}_shared INTERFACE)
    target_link_libraries(kernscope_${name}_shared INTERFACE ${whole})
    add_library(kernscope::${name} ALIAS kernscope_${name}_shared)
endfunction()

# Makes a shared library of the objects of all libraries named for it, with KERNSCOPE_SHARED.
#   kernscope_share(WHOLE PUBLIC lib … PRIVATE lib …)
function(kernscope_share whole)
    if(NOT KERNSCOPE_SHARED)
        return()
    endif()
    get_property(parts GLOBAL PROPERTY ${whole}_PARTS)
    set(objects "")
    foreach(part IN LISTS parts)
        list(APPEND objects "$<TARGET_OBJECTS:${part}>")
        # Qt registers embedded resources in objects of their own, which it gives to what links a
        # static library.
        foreach(number RANGE 1 9)
            if(TARGET ${part}_resources_${number})
                list(APPEND objects "$<TARGET_OBJECTS:${part}_resources_${number}>")
            endif()
        endforeach()
    endforeach()
    add_library(${whole} SHARED ${objects})
    set_target_properties(${whole} PROPERTIES
        AUTOMOC OFF AUTOUIC OFF AUTORCC OFF LINKER_LANGUAGE CXX)
    target_link_libraries(${whole} ${ARGN})
    # Templates of the standard library keep their checks where tests have the same without.
    if(KERNSCOPE_UNCHECKED_TESTS)
        target_link_options(${whole} PRIVATE -Wl,-Bsymbolic-functions)
    endif()
    target_include_directories(${whole} PUBLIC "${CMAKE_SOURCE_DIR}")
endfunction()

# One library a folder of core/.
#   kernscope_core_library(base [PLAIN] SOURCES a.cpp … DEPENDS kernscope_x … PRIVATE lib …)
function(kernscope_core_library name)
    cmake_parse_arguments(ARG "PLAIN" "" "SOURCES;DEPENDS;PRIVATE" ${ARGN})
    add_library(kernscope_${name} STATIC ${ARG_SOURCES})
    set(level "")
    if(ARG_PLAIN OR (KERNSCOPE_ONCE AND "kernscope_${name}" MATCHES "${KERNSCOPE_UNLOOPED}"))
        kernscope_plain(kernscope_${name})
    endif()
    kernscope_name_for_tests(${name} kernscope_whole_core)
    list(TRANSFORM ARG_DEPENDS REPLACE "^kernscope::" "kernscope_")
    set_property(GLOBAL APPEND PROPERTY KERNSCOPE_CORE_NEEDS fmt::fmt ${ARG_PRIVATE})
    set_target_properties(kernscope_${name} PROPERTIES
        AUTOMOC OFF AUTOUIC OFF AUTORCC OFF POSITION_INDEPENDENT_CODE ON)
    target_link_libraries(kernscope_${name}
        PUBLIC tl::expected ${ARG_DEPENDS}
        PRIVATE kernscope_options fmt::fmt ${ARG_PRIVATE})
    target_include_directories(kernscope_${name} PUBLIC "${CMAKE_SOURCE_DIR}")
    # What warns is compiled without sanitizers as well: looking for it takes a sixth of the time.
    if(KERNSCOPE_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        target_compile_options(kernscope_${name} PRIVATE -w)
    endif()
    # One for each level of optimisation: g++ 14 refuses those of another.
    get_property(owner GLOBAL PROPERTY KERNSCOPE_CORE_PCH_${level})
    if(NOT owner)
        set(owner kernscope_${name})
        set_property(GLOBAL PROPERTY KERNSCOPE_CORE_PCH_${level} ${owner})
    endif()
    kernscope_precompile(kernscope_${name} OWNER ${owner} HEADERS ${KERNSCOPE_CORE_HEADERS})
    kernscope_unite(kernscope_${name})
endfunction()

# Tests are many and short: what counts is how soon they are built.
add_library(kernscope_test_options INTERFACE)
target_link_libraries(kernscope_test_options INTERFACE kernscope_options Qt6::Core Qt6::Test)
target_compile_options(kernscope_test_options INTERFACE -O0 -U_FORTIFY_SOURCE
    # What is compiled together is all included, for g++ by headers.
    $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>
    $<$<BOOL:${KERNSCOPE_UNCHECKED_TESTS}>:-fno-sanitize=all>)
target_compile_definitions(kernscope_test_options INTERFACE QT_NO_CAST_FROM_ASCII)

# Qt Test defines each program's folder, for QFINDTESTDATA, which no test here uses; a macro that
# differs would keep the programs from sharing their precompiled header.
function(kernscope_share_test_settings)
    get_target_property(definitions Qt6::Test INTERFACE_COMPILE_DEFINITIONS)
    list(FILTER definitions EXCLUDE REGEX "QT_TESTCASE_")
    set_target_properties(Qt6::Test PROPERTIES INTERFACE_COMPILE_DEFINITIONS "${definitions}")
    add_library(kernscope_test_main OBJECT "${CMAKE_SOURCE_DIR}/tests/test_program.cpp")
    set_target_properties(kernscope_test_main PROPERTIES AUTOMOC OFF AUTOUIC OFF AUTORCC OFF)
    target_link_libraries(kernscope_test_main PRIVATE kernscope_test_options)
    # The only source that knows the folder: the others come out of a compiler cache in any folder.
    target_compile_definitions(kernscope_test_main PRIVATE
        KERNSCOPE_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
    # A leak check begins when Qt Test's own thread is gone.
    if(KERNSCOPE_SANITIZE)
        target_sources(kernscope_test_main PRIVATE "${CMAKE_SOURCE_DIR}/tests/wait_for_threads.cpp")
    endif()
endfunction()

# As tests/test_program.h includes them.
set(KERNSCOPE_TEST_HEADERS <QtCore/QtCore> <QtTest/QtTest> ${KERNSCOPE_CORE_HEADERS}
    <chrono> <cmath> <deque> <filesystem> <fstream> <numeric> <random> <set> <sstream>)

# The program of a folder's tests: without widgets or with. The first of its kind owns the
# precompiled header.
function(kernscope_test_program name with_widgets)
    add_executable(${name} $<TARGET_OBJECTS:kernscope_test_main>)
    set_target_properties(${name} PROPERTIES KERNSCOPE_TEST ON)
    target_link_libraries(${name} PRIVATE kernscope_test_options fmt::fmt)
    set(headers ${KERNSCOPE_TEST_HEADERS})
    if(with_widgets)
        list(PREPEND headers <QtWidgets/QtWidgets>)
    endif()
    get_property(owner GLOBAL PROPERTY KERNSCOPE_TEST_PCH_${with_widgets})
    if(NOT owner)
        set(owner ${name})
        set_property(GLOBAL PROPERTY KERNSCOPE_TEST_PCH_${with_widgets} ${name})
    endif()
    kernscope_precompile(${name} OWNER ${owner} HEADERS ${headers})
    if(KERNSCOPE_UNITY)
        set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    endif()
    # All but empty, as tests include their own .moc: reading the header would be its whole cost.
    set_source_files_properties("${CMAKE_CURRENT_BINARY_DIR}/${name}_autogen/mocs_compilation.cpp"
        PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# Owns the precompiled header of programs without widgets where the core's tests, which come first,
# are left out.
function(kernscope_own_test_headers)
    if(NOT KERNSCOPE_CORE_TESTS)
        kernscope_test_program(kernscope_test_headers FALSE)
        set_target_properties(kernscope_test_headers PROPERTIES AUTOMOC OFF)
        file(CONFIGURE OUTPUT test_headers.cpp CONTENT "// A source that the header is made for.\n")
        target_sources(kernscope_test_headers PRIVATE
            "${CMAKE_CURRENT_BINARY_DIR}/test_headers.cpp")
    endif()
endfunction()

add_custom_target(core_tests) # what check.sh builds with sanitizers

# A class of tests, called as its source is (KERNSCOPE_TEST in tests/test_program.h): a ctest name,
# run by the program of its folder, test_core_codec for tests/core/codec; the small folders of
# tests/core/container share one. Tests that read KERNSCOPE_DATA take the label data; WIDGETS puts
# one into a program of its own in folders without.
#   kernscope_test(tst_name [WIDGETS] SOURCES tst_name.cpp LIBRARIES kernscope::x … [LABELS data])
function(kernscope_test name)
    cmake_parse_arguments(ARG "WIDGETS" "" "SOURCES;LIBRARIES;LABELS" ${ARGN})
    file(RELATIVE_PATH program "${CMAKE_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}")
    string(REGEX REPLACE "^tests/" "test_" program "${program}")
    string(REPLACE "/" "_" program "${program}")
    string(REGEX REPLACE "^(test_core_container)_.*" "\\1" program "${program}")
    set(with_widgets ${ARG_WIDGETS})
    if(ARG_WIDGETS)
        string(APPEND program "_window")
    elseif(program MATCHES "^test_(widgets|app)")
        set(with_widgets TRUE)
    endif()
    if(NOT TARGET ${program})
        kernscope_test_program(${program} ${with_widgets})
    endif()
    string(REGEX MATCH "^test_[a-z]+" part "${program}")
    string(REPLACE "test_" "" part "${part}")
    set(left_out OFF)
    if(part STREQUAL core)
        add_dependencies(core_tests ${program})
        if(NOT KERNSCOPE_CORE_TESTS)
            set(left_out ON)
            set_target_properties(${program} PROPERTIES EXCLUDE_FROM_ALL ON)
        endif()
    endif()
    foreach(source IN LISTS ARG_SOURCES)
        cmake_path(ABSOLUTE_PATH source NORMALIZE)
        get_target_property(sources ${program} SOURCES)
        if(NOT source IN_LIST sources)
            list(LENGTH sources number)
            math(EXPR group "${number} / 8")
            set_source_files_properties("${source}" TARGET_DIRECTORY ${program}
                PROPERTIES UNITY_GROUP ${group})
            target_sources(${program} PRIVATE "${source}")
        endif()
    endforeach()
    target_link_libraries(${program} PRIVATE ${ARG_LIBRARIES})
    if(left_out)
        return()
    endif()
    add_test(NAME ${name} COMMAND ${program} ${name} -o -,txt)
    # For tests that hang: the slowest takes a quarter of this on a busy machine.
    set(timeout 600)
    if(KERNSCOPE_SANITIZE)
        set(timeout 1200)
    endif()
    set_tests_properties(${name} PROPERTIES TIMEOUT ${timeout} LABELS "qt;${part};${program};${ARG_LABELS}"
        ENVIRONMENT "QT_QPA_PLATFORM=offscreen;LC_ALL=C.UTF-8;\
XDG_STATE_HOME=${CMAKE_CURRENT_BINARY_DIR}/${name}.state;ASAN_OPTIONS=handle_sigill=1;UBSAN_OPTIONS=print_stacktrace=1;\
TSAN_OPTIONS=suppressions=${CMAKE_SOURCE_DIR}/tests/races.txt:die_after_fork=0:handle_sigbus=0;\
LSAN_OPTIONS=suppressions=${CMAKE_SOURCE_DIR}/tests/leaks.txt:print_suppressions=0")
    if(name MATCHES "^tst_(diff_numbers|encode_palette|main_window|mil_text_faults|one_answer.*|patches_dock|places|screenshots|\
targets|typed_edits|window_.*|cli_(bytes|changing|hostile|interrupt))$")
        set_tests_properties(${name} PROPERTIES COST 50) # the longest begin first
    endif()
    # Without the data folder such a test reads "Skipped" and not "Passed": nothing but the class's
    # own init and cleanup passed. CTest lets the expression win over the exit code, so it matches
    # only where nothing failed.
    if("data" IN_LIST ARG_LABELS)
        set_tests_properties(${name} PROPERTIES
            SKIP_REGULAR_EXPRESSION "Totals: [0-2] passed, 0 failed, [1-9][0-9]* skipped")
    endif()
endfunction()
