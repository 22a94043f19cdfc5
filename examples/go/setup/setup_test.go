// Package setup needs something prepared before its benchmarks run.
package setup

import (
	"os"
	"testing"
)

var table map[int]int

func TestMain(m *testing.M) {
	table = make(map[int]int)
	for i := range 1000 {
		table[i] = i
	}
	os.Exit(m.Run())
}

func BenchmarkLookup(b *testing.B) {
	if len(table) == 0 {
		b.Fatal("TestMain did not run")
	}
	for i := 0; b.Loop(); i++ {
		_ = table[i%1000]
	}
}

func TestNothing(*testing.T) {}
