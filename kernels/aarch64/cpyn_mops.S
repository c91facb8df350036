// SPDX-License-Identifier: Apache-2.0
// cpyn_mops: CPYFPWN, CPYFMWN, CPYFEWN: memcpy whose writes carry the non-temporal hint.
//
// Assumptions: to in x0, from in x1, n in x2; the extents do not overlap; clobbers x0 to x2, flags; feature mops; any
// extent. CPYF copies upwards; CPY would leave the direction to the core (Arm ARM, memory copy instructions), and
// direction is part of the contract. The hint may be ignored.

	.arch armv8.7-a+mops

#define cursor x0
#define source x1
#define left x2

	.text
	.p2align 6
	.globl	folioscope_cpyn_mops
	.type	folioscope_cpyn_mops, %function
folioscope_cpyn_mops:
	.cfi_startproc
	hint	#34		// bti c
	cpyfpwn	[cursor]!, [source]!, left!
	cpyfmwn	[cursor]!, [source]!, left!
	cpyfewn	[cursor]!, [source]!, left!
	ret
	.cfi_endproc
	.size	folioscope_cpyn_mops, . - folioscope_cpyn_mops

	.section .note.GNU-stack, "", %progbits
