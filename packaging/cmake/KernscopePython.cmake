# SPDX-License-Identifier: GPL-3.0-or-later
# Python and pybind11, and whether the module is built: by default where the tests are, if there is
# all that it needs. A wheel says which Python it is for; else it is that of the system, which its
# packages (NumPy, pytest) are for.
if(NOT SKBUILD AND NOT Python_EXECUTABLE AND EXISTS /usr/bin/python3)
    set(Python_EXECUTABLE /usr/bin/python3)
endif()
find_package(Python 3.9 QUIET COMPONENTS Interpreter Development.Module)
set(module_by_default OFF)
if(Python_FOUND)
    find_package(pybind11 2.10 CONFIG QUIET)
    if(pybind11_FOUND AND BUILD_TESTING AND NOT KERNSCOPE_FUZZ AND NOT KERNSCOPE_SANITIZE)
        set(module_by_default ON)
    endif()
endif()
option(KERNSCOPE_PYTHON "Build the Python module (pybind11)" ${module_by_default})
if(KERNSCOPE_PYTHON AND NOT pybind11_FOUND)
    message(FATAL_ERROR "KERNSCOPE_PYTHON needs a Python with its headers, and pybind11 2.10 or later")
endif()
