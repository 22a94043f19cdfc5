package text_test

import (
	"os"
	"testing"

	"example.com/shelf/text"
)

func BenchmarkWords(b *testing.B) {
	page, err := os.ReadFile("testdata/page.txt")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		text.Words(string(page))
	}
}
