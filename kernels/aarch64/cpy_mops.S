// SPDX-License-Identifier: Apache-2.0
// cpy_mops: CPYFP, CPYFM, CPYFE: the architecture's memcpy, in steps as wide as the core sees fit.
//
// Assumptions: to in x0, from in x1, n in x2; the extents do not overlap; clobbers x0 to x2, flags; feature mops; any
// extent. CPYF copies upwards; CPY would leave the direction to the core (Arm ARM, memory copy instructions), and
// direction is part of the contract.

	.arch armv8.7-a+mops

#define cursor x0
#define source x1
#define left x2

	.text
	.p2align 6
	.globl	folioscope_cpy_mops
	.type	folioscope_cpy_mops, %function
folioscope_cpy_mops:
	.cfi_startproc
	hint	#34		// bti c
	cpyfp	[cursor]!, [source]!, left!
	cpyfm	[cursor]!, [source]!, left!
	cpyfe	[cursor]!, [source]!, left!
	ret
	.cfi_endproc
	.size	folioscope_cpy_mops, . - folioscope_cpy_mops

	.section .note.GNU-stack, "", %progbits
