// func goroutine() uintptr; 4 is NOSPLIT.
TEXT ·goroutine(SB), 4, $0-8
	MOVQ TLS, CX
	MOVQ 0(CX)(TLS*1), AX
	MOVQ AX, ret+0(FP)
	RET
