# SPDX-License-Identifier: Apache-2.0
# Does folioscope_catalogue() fail the configuration when a file has no line, a line no file, or a name two lines? Run with
# -DMODULE=catalogue.cmake -DSCRATCH=folder.
file(REMOVE_RECURSE ${SCRATCH})

# check(CASE EXPECTED LINES FILES...): EXPECTED is "" where the catalogue is sound, else what the message must say.
function(check case expected lines)
  set(folder ${SCRATCH}/${case})
  set(files "")
  foreach(name IN LISTS ARGN)
    file(WRITE ${folder}/${name} "")
    string(APPEND files " ${folder}/${name}")
  endforeach()
  file(WRITE ${folder}/catalogue.def "// CLEAR(in_a_comment, is no line)\n${lines}")
  file(WRITE ${folder}/run.cmake "cmake_minimum_required(VERSION 3.25)\ninclude(${MODULE})\nfolioscope_catalogue(${folder}/catalogue.def${files})\n")
  execute_process(COMMAND ${CMAKE_COMMAND} -P ${folder}/run.cmake RESULT_VARIABLE result ERROR_VARIABLE said OUTPUT_QUIET)
  string(REGEX REPLACE "[ \n]+" " " said "${said}")  # CMake wraps its messages
  if(expected STREQUAL "")
    if(NOT result EQUAL 0)
      message(SEND_ERROR "${case}: a sound catalogue was refused: ${said}")
    endif()
  elseif(result EQUAL 0)
    message(SEND_ERROR "${case}: accepted, though it should say: ${expected}")
  elseif(NOT said MATCHES "${expected}")
    message(SEND_ERROR "${case}: said '${said}', not: ${expected}")
  endif()
endfunction()

set(two_lines "CLEAR(one, \"\", 64,\n      plain)\nCOPY(two, \"\")\n")
check(sound "" "${two_lines}" one.S two.S)
check(file_without_line "three.S: no line in .*catalogue.def; add one naming 'three'" "${two_lines}" one.S two.S three.S)
check(line_without_file "'two' has no file; add it or remove the line" "${two_lines}" one.S)
check(two_lines_of_one_name "'one' has two lines; keep one" "${two_lines}CLEAR(one, \"\", 8)\n" one.S two.S)
