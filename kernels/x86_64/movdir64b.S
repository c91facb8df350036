// SPDX-License-Identifier: Apache-2.0
// movdir64b: 64-byte direct stores of a line of zeros: write-combining whatever the memory type, and each sent off by
// itself.
//
// Assumptions: to in rdi, n in rsi; clobbers rax, rdi, rsi, flags; feature movdir64b; extents are multiples of 64 and
// aligned to it, and may be empty. Its source is memory, a line that stays in L1. No fence: that is a factor of the
// measurement.

#define cursor %rdi
#define end %rsi
#define zeros %rax

	.section .rodata
	.p2align 6
line_of_zeros:
	.zero	64

	.text
	.p2align 6
	.globl	folioscope_movdir64b
	.type	folioscope_movdir64b, @function
folioscope_movdir64b:
	.cfi_startproc
	endbr64
	addq	cursor, end
	leaq	line_of_zeros(%rip), zeros
	cmpq	end, cursor
	je	2f
	.p2align 4
1:
	movdir64b (zeros), cursor
	addq	$64, cursor
	cmpq	end, cursor
	jne	1b
2:
	ret
	.cfi_endproc
	.size	folioscope_movdir64b, . - folioscope_movdir64b

	.section .note.GNU-stack, "", @progbits
