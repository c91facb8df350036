// SPDX-License-Identifier: Apache-2.0
// setn_mops: SETPN, SETMN, SETEN: memset with the non-temporal hint, the form of Linux's clear_page.
//
// Assumptions: to in x0, n in x1; clobbers x0, x1, flags; feature mops; any extent; the three must follow each other
// in this order on the same registers (Arm ARM, memory set instructions); an interrupt may resume any of them. The
// hint may be ignored.

	.arch armv8.7-a+mops

#define cursor x0
#define left x1

	.text
	.p2align 6
	.globl	folioscope_setn_mops
	.type	folioscope_setn_mops, %function
folioscope_setn_mops:
	.cfi_startproc
	hint	#34		// bti c
	setpn	[cursor]!, left!, xzr
	setmn	[cursor]!, left!, xzr
	seten	[cursor]!, left!, xzr
	ret
	.cfi_endproc
	.size	folioscope_setn_mops, . - folioscope_setn_mops

	.section .note.GNU-stack, "", %progbits
