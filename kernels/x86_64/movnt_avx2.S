// SPDX-License-Identifier: Apache-2.0
// movnt_avx2: 32-byte non-temporal stores, two to a line.
//
// Assumptions: to in rdi, n in rsi; clobbers ymm0, rdi, rsi, flags; feature avx2; extents are multiples of 64 and
// aligned to it, and may be empty. No fence: that is a factor of the measurement. vzeroupper at the end spares later
// SSE code the transition penalty (Intel Optimization Manual, mixing AVX and SSE).

#define cursor %rdi
#define end %rsi
#define zero %ymm0

	.text
	.p2align 6
	.globl	folioscope_movnt_avx2
	.type	folioscope_movnt_avx2, @function
folioscope_movnt_avx2:
	.cfi_startproc
	endbr64
	addq	cursor, end
	vpxor	%xmm0, %xmm0, %xmm0
	cmpq	end, cursor
	je	2f
	.p2align 4
1:
	vmovntdq	zero, (cursor)
	vmovntdq	zero, 32(cursor)
	addq	$64, cursor
	cmpq	end, cursor
	jne	1b
2:
	vzeroupper
	ret
	.cfi_endproc
	.size	folioscope_movnt_avx2, . - folioscope_movnt_avx2

	.section .note.GNU-stack, "", @progbits
