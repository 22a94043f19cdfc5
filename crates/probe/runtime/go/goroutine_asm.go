//go:build amd64 || arm64
// +build amd64 arm64

package benchwrightprobe

// goroutine returns the address of the runtime's record of this goroutine, which no other one has while it lives.
func goroutine() uintptr
