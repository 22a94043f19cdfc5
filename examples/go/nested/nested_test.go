// Package nested is a module of its own inside another one.
package nested

import "testing"

func BenchmarkNested(b *testing.B) {
	for b.Loop() {
		_ = len("nested")
	}
}
