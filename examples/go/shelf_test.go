package shelf

import (
	"fmt"
	"testing"
)

var sink int

func BenchmarkSum(b *testing.B) {
	values := Fill(1000)
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		sink = Sum(values)
	}
}

func BenchmarkLoop(b *testing.B) {
	values := Fill(100)
	for b.Loop() {
		sink = Sum(values)
	}
}

func BenchmarkThroughput(b *testing.B) {
	values := Fill(1000)
	b.SetBytes(8 * int64(len(values)))
	for b.Loop() {
		sink = Sum(values)
	}
}

func BenchmarkAllocations(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		sink = len(Fill(64))
	}
}

func BenchmarkReported(b *testing.B) {
	for b.Loop() {
		sink = Sum(Fill(10))
	}
	b.ReportMetric(12.5, "widgets")
	b.ReportMetric(987654, "p99-ns")
	b.ReportMetric(3.25e6, "rows/s")
}

// A reported time of 0 keeps Go from printing the time.
func BenchmarkOnlyReported(b *testing.B) {
	for b.Loop() {
		sink++
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(42, "widgets")
}

// Names that mean something else to a regular expression, a shell or a reader of results.
func BenchmarkNames(b *testing.B) {
	names := []string{
		"plain", "a.b*c(d|e)[f]{2}^$+?", "with space", "size=10", "größe/日本", "a/b", "n-2", "n-2-2", "leaf",
		"leaf/deeper", "", "same", "same", "//", "trailing/", `back\slash`, "tab\there", "nul\x00", "\xff", "'q\"`",
		"-test.v", "x#01", "100%", "[", ")", "|", "1 2 ns/op",
	}
	for _, name := range names {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				sink++
			}
		})
	}
}

// Output of a benchmark lands between its name and its numbers.
func BenchmarkTalking(b *testing.B) {
	run := func(name string, talk func(b *testing.B)) {
		b.Run(name, func(b *testing.B) {
			talk(b)
			for i := 0; i < b.N; i++ {
				sink++
			}
		})
	}
	run("without line end", func(*testing.B) { fmt.Print("thinking") })
	run("lines", func(*testing.B) { fmt.Println("first\n\tsecond") })
	run("log", func(b *testing.B) { b.Log("noted") })
}

func BenchmarkSkipped(b *testing.B) {
	b.Skip("not on this shelf")
}

func BenchmarkParallel(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			_ = Sum(nil)
		}
	})
}
