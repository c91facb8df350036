// SPDX-License-Identifier: Apache-2.0
// rep_stosb: one string operation of n single bytes, which microcode turns into stores as wide as it sees fit.
//
// Assumptions: to in rdi, n in rsi; the direction flag is clear (System V ABI 3.2.1); clobbers rax, rcx, rdi; feature
// erms (without it microcode really stores single bytes); granule 1.

	.text
	.p2align 6
	.globl	folioscope_rep_stosb
	.type	folioscope_rep_stosb, @function
folioscope_rep_stosb:
	.cfi_startproc
	endbr64
	movq	%rsi, %rcx
	xorl	%eax, %eax
	rep stosb
	ret
	.cfi_endproc
	.size	folioscope_rep_stosb, . - folioscope_rep_stosb

	.section .note.GNU-stack, "", @progbits
