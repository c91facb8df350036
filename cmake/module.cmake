# SPDX-License-Identifier: Apache-2.0
# folioscope_module(NAME [USES module...] [LIBRARIES lib...]): the static library folioscope_NAME of this folder's sources.
function(folioscope_module name)
  cmake_parse_arguments(ARG "" "" "USES;LIBRARIES;SOURCES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  list(TRANSFORM ARG_USES PREPEND folioscope_)
  add_library(folioscope_${name} STATIC ${sources} ${ARG_SOURCES} ${CMAKE_SOURCE_DIR}/cmake/empty.cpp)
  target_link_libraries(folioscope_${name} PUBLIC folioscope_options ${ARG_USES} PRIVATE ${ARG_LIBRARIES})
endfunction()

# folioscope_tests(NAME [USES module...] [LIBRARIES lib...]): one GoogleTest program of this folder's sources, registered test by test.
function(folioscope_tests name)
  cmake_parse_arguments(ARG "" "" "USES;LIBRARIES;SOURCES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  add_executable(test_${name} ${sources} ${ARG_SOURCES})
  list(TRANSFORM ARG_USES PREPEND folioscope_)
  target_link_libraries(test_${name} PRIVATE folioscope_options ${ARG_USES} GTest::gtest_main GTest::gmock ${ARG_LIBRARIES})
  target_compile_definitions(test_${name} PRIVATE FOLIOSCOPE_SOURCE_DIR="${CMAKE_SOURCE_DIR}" FOLIOSCOPE_BINARY_DIR="${CMAKE_BINARY_DIR}")
  gtest_discover_tests(test_${name} TEST_PREFIX "${name}/" DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 240)
endfunction()
