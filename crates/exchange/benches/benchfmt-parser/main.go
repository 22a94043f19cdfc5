// Reads a file with the parser that benchstat uses, and does nothing else with it. Prints the CPU seconds that took and the number
// of values.
package main

import (
	"fmt"
	"log"
	"os"
	"syscall"

	"golang.org/x/perf/benchfmt"
)

func main() {
	file, err := os.Open(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	reader := benchfmt.NewReader(file, os.Args[1])
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
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		log.Fatal(err)
	}
	seconds := func(time syscall.Timeval) float64 { return float64(time.Nano()) / 1e9 }
	fmt.Println(seconds(usage.Utime)+seconds(usage.Stime), values)
}
