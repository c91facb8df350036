// SPDX-License-Identifier: Apache-2.0
// rep_movsb: one string operation copies n single bytes, which microcode moves as wide as it sees fit.
//
// Assumptions: to in rdi, from in rsi, n in rdx; the extents do not overlap; the direction flag is clear (System V ABI
// 3.2.1); clobbers rcx, rdi, rsi; feature erms; granule 1.

	.text
	.p2align 6
	.globl	folioscope_rep_movsb
	.type	folioscope_rep_movsb, @function
folioscope_rep_movsb:
	.cfi_startproc
	endbr64
	movq	%rdx, %rcx
	rep movsb
	ret
	.cfi_endproc
	.size	folioscope_rep_movsb, . - folioscope_rep_movsb

	.section .note.GNU-stack, "", @progbits
