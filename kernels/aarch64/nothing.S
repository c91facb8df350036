// SPDX-License-Identifier: Apache-2.0
// nothing: returns at once; what is measured with it is the overhead of a call.
//
// Assumptions: to in x0, n in x1, both ignored; clobbers nothing; no features; any extent.

	.text
	.p2align 6
	.globl	folioscope_nothing
	.type	folioscope_nothing, %function
folioscope_nothing:
	.cfi_startproc
	hint	#34		// bti c
	ret
	.cfi_endproc
	.size	folioscope_nothing, . - folioscope_nothing

	.section .note.GNU-stack, "", %progbits
