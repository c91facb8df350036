// SPDX-License-Identifier: Apache-2.0
// stnp_x: pairs of 8-byte stores with the non-temporal hint: what Linux's clear_page does where DC ZVA is forbidden.
//
// Assumptions: to in x0, n in x1; clobbers x0, x1, flags; no features; extents are multiples of 64 and aligned to it,
// and may be empty. STNP is a hint that the line is not needed soon (Arm ARM, Load/Store Non-temporal Pair): a core
// may treat it as STP, so nothing here assumes that it bypasses a cache.

#define cursor x0
#define end x1

	.text
	.p2align 6
	.globl	folioscope_stnp_x
	.type	folioscope_stnp_x, %function
folioscope_stnp_x:
	.cfi_startproc
	hint	#34		// bti c
	add	end, cursor, end
	cmp	cursor, end
	b.eq	2f
	.p2align	4
1:
	stnp	xzr, xzr, [cursor]
	stnp	xzr, xzr, [cursor, #16]
	stnp	xzr, xzr, [cursor, #32]
	stnp	xzr, xzr, [cursor, #48]
	add	cursor, cursor, #64
	cmp	cursor, end
	b.ne	1b
2:
	ret
	.cfi_endproc
	.size	folioscope_stnp_x, . - folioscope_stnp_x

	.section .note.GNU-stack, "", %progbits
