//go:build !amd64 && !arm64
// +build !amd64,!arm64

package benchwrightprobe

import "runtime"

// goroutine returns the number of this goroutine, which only its printed stack shows.
func goroutine() uintptr {
	var text [64]byte
	n := runtime.Stack(text[:], false)
	var id uintptr
	for _, b := range text[len("goroutine "):n] {
		if b < '0' || b > '9' {
			break
		}
		id = id*10 + uintptr(b-'0')
	}
	return id
}
