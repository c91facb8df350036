// SPDX-License-Identifier: Apache-2.0
// rep_stosq: one string operation of n / 8 quadwords.
//
// Assumptions: to in rdi, n in rsi; the direction flag is clear (System V ABI 3.2.1); clobbers rax, rcx, rdi, rsi;
// feature rep_good; extents are multiples of 8 and aligned to it.

	.text
	.p2align 6
	.globl	folioscope_rep_stosq
	.type	folioscope_rep_stosq, @function
folioscope_rep_stosq:
	.cfi_startproc
	endbr64
	movq	%rsi, %rcx
	shrq	$3, %rcx
	xorl	%eax, %eax
	rep stosq
	ret
	.cfi_endproc
	.size	folioscope_rep_stosq, . - folioscope_rep_stosq

	.section .note.GNU-stack, "", @progbits
