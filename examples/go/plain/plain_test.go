// Package plain has tests and no benchmark; nothing is built from it.
package plain

import "testing"

// func BenchmarkInAComment(b *testing.B) {}
func TestPlain(*testing.T) {}
