//go:build large

package shelf

import "testing"

func BenchmarkLarge(b *testing.B) {
	values := Fill(100_000)
	for b.Loop() {
		sink = Sum(values)
	}
}
