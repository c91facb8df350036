// SPDX-License-Identifier: Apache-2.0
// set_mops: SETP, SETM, SETE: the architecture's memset, in steps as wide as the core sees fit.
//
// Assumptions: to in x0, n in x1; clobbers x0, x1, flags; feature mops; any extent; the three must follow each other
// in this order on the same registers (Arm ARM, memory set instructions); an interrupt may resume any of them.

	.arch armv8.7-a+mops

#define cursor x0
#define left x1

	.text
	.p2align 6
	.globl	folioscope_set_mops
	.type	folioscope_set_mops, %function
folioscope_set_mops:
	.cfi_startproc
	hint	#34		// bti c
	setp	[cursor]!, left!, xzr
	setm	[cursor]!, left!, xzr
	sete	[cursor]!, left!, xzr
	ret
	.cfi_endproc
	.size	folioscope_set_mops, . - folioscope_set_mops

	.section .note.GNU-stack, "", %progbits
