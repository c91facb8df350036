# SPDX-License-Identifier: Apache-2.0
add_library(folioscope_options INTERFACE)
target_compile_options(folioscope_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Werror=return-type -Werror=format>)
# GCC 12 warns of overlaps inside std::string that cannot happen (GCC bug 105651).
target_compile_options(folioscope_options INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>)
# One include root per layer: src/ for what measures, analysis/ for what reads capsules, the top for kernels/.
target_include_directories(folioscope_options INTERFACE
  ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/analysis ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/include)
target_compile_definitions(folioscope_options INTERFACE FOLIOSCOPE_VERSION="${PROJECT_VERSION}")
if(FOLIOSCOPE_SANITIZE)
  # ASan finds what null, alignment, object-size and vptr checks would; without them the build takes two thirds of the time.
  target_compile_options(folioscope_options INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=undefined
    -fno-sanitize=null,alignment,vptr,object-size,return,nonnull-attribute,returns-nonnull-attribute -fno-omit-frame-pointer -g1)
  target_link_options(folioscope_options INTERFACE -fsanitize=address,undefined)
endif()
if(FOLIOSCOPE_STATIC)
  target_link_options(folioscope_options INTERFACE -static)
endif()
