// SPDX-License-Identifier: Apache-2.0
// ldp_stnp: copies like ldp_stp, its stores with the non-temporal hint as in Linux's copy_page, without that one's
// loads ahead of the stores.
//
// Assumptions: to in x0, from in x1, n in x2; the extents do not overlap; clobbers x0 to x10, flags; no features;
// extents are multiples of 64 and aligned to it, and may be empty. STNP is a hint that the line is not needed soon
// (Arm ARM, Load/Store Non-temporal Pair): a core may treat it as STP, so nothing here assumes that it bypasses a
// cache.

#define cursor x0
#define source x1
#define end x2

	.text
	.p2align 6
	.globl	folioscope_ldp_stnp
	.type	folioscope_ldp_stnp, %function
folioscope_ldp_stnp:
	.cfi_startproc
	hint	#34		// bti c
	add	end, cursor, end
	cmp	cursor, end
	b.eq	2f
	.p2align	4
1:
	ldp	x3, x4, [source]
	ldp	x5, x6, [source, #16]
	ldp	x7, x8, [source, #32]
	ldp	x9, x10, [source, #48]
	stnp	x3, x4, [cursor]
	stnp	x5, x6, [cursor, #16]
	stnp	x7, x8, [cursor, #32]
	stnp	x9, x10, [cursor, #48]
	add	source, source, #64
	add	cursor, cursor, #64
	cmp	cursor, end
	b.ne	1b
2:
	ret
	.cfi_endproc
	.size	folioscope_ldp_stnp, . - folioscope_ldp_stnp

	.section .note.GNU-stack, "", %progbits
