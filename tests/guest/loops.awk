# SPDX-License-Identifier: Apache-2.0
# Instructions per 4 KiB of each kernel, computed from its own loop in the disassembly of the program that holds it:
#   objdump -d --no-show-raw-insn PROGRAM | awk -v zva=BYTES -v vector=BYTES -f loops.awk
# prints "NAME COUNT". The loop is what the first backward branch encloses; its bytes are those of its stores. A function without
# a loop (nothing, the SET and CPY families) adds no instruction however much it clears.
function number(hex,   i, n) {
  n = 0
  for (i = 1; i <= length(hex); ++i) n = n * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
  return n
}
function stored(mnemonic, operands) {
  if (mnemonic == "dc") return operands ~ /^g?zva/ ? zva : 0
  if (mnemonic ~ /^stn?p$/) return operands ~ /^q/ ? 32 : 16
  if (mnemonic ~ /^st(nt)?1b$/) return vector
  return 0
}
function finish(   count) {
  if (name == "") return
  count = loop_bytes > 0 ? loop_length * 4096 / loop_bytes : 0
  print name, count
  name = ""
}
/^[0-9a-f]+ <.*>:$/ {
  finish()
  if (match($2, /<folioscope_[a-z0-9_]+>/)) {
    name = substr($2, 13, length($2) - 14)
    start = number($1); lines = 0; loop_length = 0; loop_bytes = 0; looped = 0
  }
  next
}
name != "" && /^ *[0-9a-f]+:/ {
  address = $1; sub(/:/, "", address); address = number(address)
  operands = $3; for (i = 4; i <= NF; ++i) operands = operands " " $i
  at[lines] = address; bytes[lines] = stored($2, operands); ++lines
  if (!looped && ($2 ~ /^b(\.[a-z]+)?$/) && match($0, /[0-9a-f]+ <folioscope_/)) {
    target = $3; target = number(target)
    if (target >= start && target < address) {
      looped = 1
      for (i = 0; i < lines; ++i) if (at[i] >= target) { ++loop_length; loop_bytes += bytes[i] }
    }
  }
}
END { finish() }
