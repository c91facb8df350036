// SPDX-License-Identifier: Apache-2.0
// mov_avx512: aligned 64-byte stores: a whole line at once, so that the core knows that it need not read it.
//
// Assumptions: to in rdi, n in rsi; clobbers zmm0, rdi, rsi, flags; feature avx512f; extents are multiples of 64 and
// aligned to it, and may be empty. vzeroupper at the end spares later SSE code the transition penalty (Intel
// Optimization Manual, mixing AVX and SSE).

#define cursor %rdi
#define end %rsi
#define zero %zmm0

	.text
	.p2align 6
	.globl	folioscope_mov_avx512
	.type	folioscope_mov_avx512, @function
folioscope_mov_avx512:
	.cfi_startproc
	endbr64
	addq	cursor, end
	vpxor	%xmm0, %xmm0, %xmm0
	cmpq	end, cursor
	je	2f
	.p2align 4
1:
	vmovdqa64 zero, (cursor)
	addq	$64, cursor
	cmpq	end, cursor
	jne	1b
2:
	vzeroupper
	ret
	.cfi_endproc
	.size	folioscope_mov_avx512, . - folioscope_mov_avx512

	.section .note.GNU-stack, "", @progbits
