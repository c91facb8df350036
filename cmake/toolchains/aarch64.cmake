# SPDX-License-Identifier: Apache-2.0
# Builds for arm64 Linux against the sysroot of tests/cross/setup; ctest runs the result under an emulator.
#   FOLIOSCOPE_CROSS   the set-up's folder (build/cross); also an environment variable
#   FOLIOSCOPE_CPU     the emulated CPU, with its properties, for tests that are not told another by the environment variable
#                      of the same name (tests/cross/emulate reads it at run time: one build, many CPUs)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

get_filename_component(folioscope_source "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
if(DEFINED ENV{FOLIOSCOPE_CROSS})
  set(folioscope_cross_default "$ENV{FOLIOSCOPE_CROSS}")
else()
  set(folioscope_cross_default "${folioscope_source}/build/cross")
endif()
set(FOLIOSCOPE_CROSS "${folioscope_cross_default}" CACHE PATH "Folder that tests/cross/setup filled")
set(FOLIOSCOPE_CPU "max" CACHE STRING "Emulated CPU: max, a64fx, neoverse-v1, max,sve128=on,sve256=off, ...")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES FOLIOSCOPE_CROSS FOLIOSCOPE_CPU)
if(NOT EXISTS "${FOLIOSCOPE_CROSS}/sysroot/usr/include")
  message(FATAL_ERROR "${FOLIOSCOPE_CROSS}/sysroot: no arm64 sysroot; run tests/cross/setup")
endif()

set(CMAKE_SYSROOT "${FOLIOSCOPE_CROSS}/sysroot")
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH "${CMAKE_SYSROOT}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_DIR} "")
set(ENV{PKG_CONFIG_LIBDIR} "${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig")
set(ENV{PKG_CONFIG_SYSROOT_DIR} "${CMAKE_SYSROOT}")
# GCC 10 announces an ABI change in C++17 that no two compilers here disagree on.
set(CMAKE_CXX_FLAGS_INIT "-Wno-psabi")
# The linker follows DT_NEEDED of the sysroot's libraries into the sysroot, not into this machine's folders.
foreach(kind EXE SHARED MODULE)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT "-Wl,-rpath-link,${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu:${CMAKE_SYSROOT}/lib/aarch64-linux-gnu")
endforeach()

set(CMAKE_CROSSCOMPILING_EMULATOR "${folioscope_source}/tests/cross/emulate;${FOLIOSCOPE_CROSS};${FOLIOSCOPE_CPU}")
