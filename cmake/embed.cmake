# SPDX-License-Identifier: Apache-2.0
# folioscope_embed(TARGET SYMBOL FILES...): embeds data files in TARGET. Declare and use them as
#   #include "terms/embedded.hpp"
#   namespace folioscope::embedded { std::span<EmbeddedFile const> SYMBOL(); }
# Names are relative to the calling folder. The assembler's .incbin keeps megabytes out of the compiler.
function(folioscope_embed target symbol)
  set(dir ${CMAKE_CURRENT_BINARY_DIR}/embedded_${symbol})
  set(assembly "/* generated */\n#if defined(__linux__) && defined(__ELF__)\n.section .note.GNU-stack,\"\",%progbits\n#endif\n.section .rodata\n")
  set(declarations "")
  set(table "")
  set(depends "")
  set(i 0)
  foreach(file IN LISTS ARGN)
    get_filename_component(path ${file} ABSOLUTE)
    file(RELATIVE_PATH name ${CMAKE_CURRENT_SOURCE_DIR} ${path})
    if(name MATCHES "^\\.\\.")
      get_filename_component(name ${path} NAME)
    endif()
    set(s folioscope_embedded_${symbol}_${i})
    string(APPEND assembly ".balign 16\n.globl ${s}\n${s}:\n.incbin \"${path}\"\n.globl ${s}_end\n${s}_end:\n.byte 0\n")
    string(APPEND declarations "extern \"C\" const char ${s}[]; extern \"C\" const char ${s}_end[];\n")
    string(APPEND table "    {\"${name}\", {${s}, static_cast<std::size_t>(${s}_end - ${s})}},\n")
    list(APPEND depends ${path})
    math(EXPR i "${i} + 1")
  endforeach()
  file(CONFIGURE OUTPUT ${dir}/${symbol}.S CONTENT "${assembly}" @ONLY)
  file(CONFIGURE OUTPUT ${dir}/${symbol}.cpp CONTENT "// generated
#include \"terms/embedded.hpp\"
${declarations}
namespace folioscope::embedded {
std::span<EmbeddedFile const> ${symbol}() {
  static EmbeddedFile const files[] = {
${table}    {},
  };
  return {files, ${i}};
}
}
" @ONLY)
  set_source_files_properties(${dir}/${symbol}.S PROPERTIES OBJECT_DEPENDS "${depends}")
  target_sources(${target} PRIVATE ${dir}/${symbol}.S ${dir}/${symbol}.cpp)
endfunction()
