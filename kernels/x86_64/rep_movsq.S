// SPDX-License-Identifier: Apache-2.0
// rep_movsq: one string operation copies n / 8 quadwords, as Linux copies pages where strings are fast.
//
// Assumptions: to in rdi, from in rsi, n in rdx; the extents do not overlap; the direction flag is clear (System V ABI
// 3.2.1); clobbers rcx, rdi, rsi, flags; feature rep_good; extents are multiples of 8 and aligned to it.

	.text
	.p2align 6
	.globl	folioscope_rep_movsq
	.type	folioscope_rep_movsq, @function
folioscope_rep_movsq:
	.cfi_startproc
	endbr64
	movq	%rdx, %rcx
	shrq	$3, %rcx
	rep movsq
	ret
	.cfi_endproc
	.size	folioscope_rep_movsq, . - folioscope_rep_movsq

	.section .note.GNU-stack, "", @progbits
