// Reads a file with the parser that benchstat uses, and does nothing else with it. Prints the CPU seconds of this process for reading
// the file, the number of values, and the least CPU seconds of several times over the same bytes in memory.
package main

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"os"
	"syscall"

	"golang.org/x/perf/benchfmt"
)

const times = 5

func main() {
	file, err := os.Open(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	values := parse(file)
	whole := cpu()
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	least := whole
	for range times {
		before := cpu()
		parse(bytes.NewReader(text))
		least = min(least, cpu()-before)
	}
	fmt.Println(whole, values, least)
}

func parse(source io.Reader) int {
	reader := benchfmt.NewReader(source, os.Args[1])
	values := 0
	for reader.Scan() {
		switch record := reader.Result().(type) {
		case *benchfmt.Result:
			values += len(record.Values)
		case *benchfmt.SyntaxError:
			log.Fatal(record)
		}
	}
	if err := reader.Err(); err != nil {
		log.Fatal(err)
	}
	return values
}

func cpu() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		log.Fatal(err)
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}
