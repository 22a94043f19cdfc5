// Reads a file as benchstat does, and does nothing else with it. Prints four times, each followed by a blank: the CPU seconds of this
// process for reading the file with benchstat's parser and keeping nothing; the number of values; the least CPU seconds of several times
// over the same bytes in memory; and the same with the results kept as benchstat keeps them, every value under the keys of its table,
// row and column.
package main

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"os"
	"syscall"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchproc"
)

const times = 5

func main() {
	file, err := os.Open(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	values := parse(file, func(*benchfmt.Result) {})
	whole := cpu()
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	parsed := least(func() { parse(bytes.NewReader(text), func(*benchfmt.Result) {}) })
	read := least(func() {
		kept := newKept()
		if parse(bytes.NewReader(text), kept.add) != kept.values() {
			log.Fatal("values were lost")
		}
	})
	fmt.Println(whole, values, parsed, read)
}

func least(work func()) float64 {
	best := -1.0
	for range times {
		before := cpu()
		work()
		if took := cpu() - before; best < 0 || took < best {
			best = took
		}
	}
	return best
}

func parse(source io.Reader, keep func(*benchfmt.Result)) int {
	reader := benchfmt.NewReader(source, os.Args[1])
	values := 0
	for reader.Scan() {
		switch record := reader.Result().(type) {
		case *benchfmt.Result:
			values += len(record.Values)
			keep(record)
		case *benchfmt.SyntaxError:
			log.Fatal(record)
		}
	}
	if err := reader.Err(); err != nil {
		log.Fatal(err)
	}
	return values
}

// kept holds values by table (circumstances and unit), row (name) and column (file), which are benchstat's defaults.
type kept struct {
	table, row, column, rest *benchproc.Projection
	cells                    map[cell]*samples
}

type cell struct{ table, row, column benchproc.Key }

type samples struct {
	values []float64
	rest   map[benchproc.Key]struct{}
}

func newKept() *kept {
	var parser benchproc.ProjectionParser
	table, _, err := parser.ParseWithUnit(".config", nil)
	if err != nil {
		log.Fatal(err)
	}
	project := func(text string) *benchproc.Projection {
		projection, err := parser.Parse(text, nil)
		if err != nil {
			log.Fatal(err)
		}
		return projection
	}
	row, column := project(".fullname"), project(".file")
	return &kept{table, row, column, parser.Residue(), map[cell]*samples{}}
}

func (k *kept) add(result *benchfmt.Result) {
	row, column, rest := k.row.Project(result), k.column.Project(result), k.rest.Project(result)
	for index, table := range k.table.ProjectValues(result) {
		key := cell{table, row, column}
		found := k.cells[key]
		if found == nil {
			found = &samples{rest: map[benchproc.Key]struct{}{}}
			k.cells[key] = found
		}
		found.values = append(found.values, result.Values[index].Value)
		found.rest[rest] = struct{}{}
	}
}

func (k *kept) values() int {
	count := 0
	for _, found := range k.cells {
		count += len(found.values)
	}
	return count
}

func cpu() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		log.Fatal(err)
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}
