// SPDX-License-Identifier: Apache-2.0
// clzero: one CLZERO a line: zeroes it whole, without reading it and without keeping it in a cache.
//
// Assumptions: to in rdi, n in rsi; clobbers rax, rsi, flags; feature clzero; extents are multiples of 64 and aligned
// to it, and may be empty. CLZERO takes its address in rax alone. No fence: that is a factor of the measurement.

#define cursor %rax
#define end %rsi

	.text
	.p2align 6
	.globl	folioscope_clzero
	.type	folioscope_clzero, @function
folioscope_clzero:
	.cfi_startproc
	endbr64
	movq	%rdi, cursor
	addq	cursor, end
	cmpq	end, cursor
	je	2f
	.p2align 4
1:
	clzero
	addq	$64, cursor
	cmpq	end, cursor
	jne	1b
2:
	ret
	.cfi_endproc
	.size	folioscope_clzero, . - folioscope_clzero

	.section .note.GNU-stack, "", @progbits
