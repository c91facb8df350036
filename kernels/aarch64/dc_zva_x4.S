// SPDX-License-Identifier: Apache-2.0
// dc_zva_x4: four blocks an iteration: shows whether the loop around DC ZVA costs anything beside the zeroing.
//
// Assumptions: to in x0, n in x1; clobbers x0 to x5, flags; DCZID_EL0.DZP is clear (feature zva: else the instruction
// traps); extents are multiples of the block and aligned to it, and may be empty; what four blocks do not divide is
// done block by block.

#define cursor x0
#define end x1
#define block x2
#define four x3
#define bulk x4
#define mask x5

	.text
	.p2align 6
	.globl	folioscope_dc_zva_x4
	.type	folioscope_dc_zva_x4, %function
folioscope_dc_zva_x4:
	.cfi_startproc
	hint	#34		// bti c
	mrs	block, dczid_el0
	mov	four, #4
	and	block, block, #15
	lsl	block, four, block
	lsl	mask, block, #2
	sub	mask, mask, #1
	bic	bulk, end, mask
	add	bulk, cursor, bulk
	add	end, cursor, end
	cmp	cursor, bulk
	b.eq	2f
	.p2align	4
1:
	dc	zva, cursor
	add	cursor, cursor, block
	dc	zva, cursor
	add	cursor, cursor, block
	dc	zva, cursor
	add	cursor, cursor, block
	dc	zva, cursor
	add	cursor, cursor, block
	cmp	cursor, bulk
	b.ne	1b
2:
	cmp	cursor, end
	b.eq	3f
	dc	zva, cursor
	add	cursor, cursor, block
	b	2b
3:
	ret
	.cfi_endproc
	.size	folioscope_dc_zva_x4, . - folioscope_dc_zva_x4

	.section .note.GNU-stack, "", %progbits
