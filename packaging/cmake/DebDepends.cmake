# SPDX-License-Identifier: GPL-3.0-or-later
# Read by cpack before it packs. dpkg-shlibdeps (of dpkg-dev, with file) knows best which packages
# the programs need. Without it they are looked up here: the libraries that the programs name, and
# the installed packages that these come from. KERNSCOPE_DEB_LOOKUP=ON asks for that, for the test.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
    return()
endif()
find_program(shlibdeps dpkg-shlibdeps)
find_program(file_program file)
if(shlibdeps AND file_program AND NOT KERNSCOPE_DEB_LOOKUP)
    set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
    return()
endif()
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS OFF)

find_program(ldd ldd REQUIRED)
find_program(readelf readelf REQUIRED)
find_program(dpkg_query dpkg-query REQUIRED)

# The package of a library, as "name (>= version)"; empty where none is known.
function(kernscope_package_of library result)
    set(${result} "" PARENT_SCOPE)
    file(REAL_PATH "${library}" real)
    # dpkg knows files by the names of before /lib became a link to /usr/lib.
    string(REGEX REPLACE "^/usr/lib" "/lib" short "${real}")
    foreach(path IN ITEMS "${real}" "${short}" "${library}")
        execute_process(COMMAND "${dpkg_query}" -S "${path}" OUTPUT_VARIABLE owner
            RESULT_VARIABLE failed ERROR_QUIET)
        if(NOT failed)
            break()
        endif()
    endforeach()
    if(failed)
        return()
    endif()
    string(REGEX REPLACE "[:,].*" "" owner "${owner}")
    execute_process(COMMAND "${dpkg_query}" -W "-f=\${Version}" "${owner}"
        OUTPUT_VARIABLE version ERROR_QUIET)
    # The upstream part: what was built against one revision runs with a rebuild of it.
    string(REGEX REPLACE "[-+].*" "" version "${version}")
    set(${result} "${owner} (>= ${version})" PARENT_SCOPE)
endfunction()

set(packages "")
foreach(program IN LISTS CPACK_KERNSCOPE_PROGRAMS)
    execute_process(COMMAND "${readelf}" -d "${program}" OUTPUT_VARIABLE dynamic
        COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND "${ldd}" "${program}" OUTPUT_VARIABLE resolved
        COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCHALL "Shared library: \\[[^]]+\\]" needed "${dynamic}")
    foreach(line IN LISTS needed)
        string(REGEX REPLACE ".*\\[(.*)\\]" "\\1" name "${line}")
        string(REGEX REPLACE "([+.])" "\\\\\\1" pattern "${name}")
        if(resolved MATCHES "${pattern} => ([^ ]+) ")
            kernscope_package_of("${CMAKE_MATCH_1}" package)
            if(NOT package)
                message(FATAL_ERROR "No installed package holds ${CMAKE_MATCH_1}")
            endif()
            list(APPEND packages "${package}")
        endif()
    endforeach()
endforeach()
list(REMOVE_DUPLICATES packages)
list(SORT packages)
list(JOIN packages ", " CPACK_DEBIAN_PACKAGE_DEPENDS)
if(NOT CPACK_DEBIAN_PACKAGE_DEPENDS)
    message(FATAL_ERROR "The package's dependencies cannot be found out: install dpkg-dev and file")
endif()
