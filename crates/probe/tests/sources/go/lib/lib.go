//go:build linux || !linux
// +build linux !linux

// Package lib has functions that end in every way.
package lib /* a comment */ // import "example.org/tricky/lib"

import (
	"errors"
	. "strings"
	"time"
)

var started = initial()

func initial() int { return 7 }

func init() { started++ }

func init() { started++ }

// Work is busy for 200 microseconds.
func Work() {
	for start := time.Now(); time.Since(start) < 200*time.Microsecond; {
	}
}

// OneLine has everything in one line.
func OneLine() int { Work(); return 1 }

// Empty has nothing.
func Empty() {}

// EarlyReturn returns from within.
func EarlyReturn(n int) (string, error) {
	// A comment comes first.
	for i := 0; ; i++ {
		switch {
		case i == n:
			Work()
			return ToUpper("early"), nil
		case i > 3:
			return "", errors.New("late")
		}
	}
}

// Panics always.
func Panics() { // a comment behind the brace
	Work()
	panic("as expected")
}

// Recovers calls what panics, and changes its result when it ends.
func Recovers() (result int) {
	defer func() {
		if recover() != nil {
			result = 2
		}
	}()
	Panics()
	return 1
}

// Handler recovers itself, which works only in a deferred function.
func Handler(result *int) {
	if recover() != nil {
		*result = 5
	}
}

// Recursive works in its innermost call.
func Recursive(n int) int {
	if n == 0 {
		Work()
		return 0
	}
	return 1 + Recursive(n-1)
}

// Even and Odd call each other.
func Even(n int) bool {
	if n == 0 {
		Work()
		return true
	}
	return Odd(n - 1)
}

// Odd is the other one.
func Odd(n int) bool {
	if n == 0 {
		Work()
		return false
	}
	return Even(n - 1)
}

// Spreads calls itself in another goroutine, which is not within the first call.
func Spreads(n int) {
	Work()
	if n > 0 {
		done := make(chan bool)
		go func() {
			defer close(done)
			Spreads(n - 1)
		}()
		<-done
	}
}

// Closure has a function within, which is left alone.
func Closure(values ...int) (sum int) {
	add := func(value int) int {
		if value < 0 {
			return 0
		}
		return value
	}
	for _, value := range values {
		sum += add(value)
	}
	Work()
	return
}

// Type has methods.
type Type struct{ value int }

// Pointer is one.
func (t *Type) Pointer() { t.value++; Work() }

// Value is another.
func (t Type) Value() (int, string) {
	Work()
	return t.value, "}" /* } */
}

func (Type) unnamed(a, b int, _ ...string) int { return a + b }

// Shadows has names of ours for its own things.
func Shadows(benchwright, probe int) int {
	Count := func(int) int { return probe }
	return benchwright + Count(3) + Type{}.unnamed(1, 2)
}

//go:nosplit
func leaf(x int) int { return x + 1 }

// Leaf calls one that must not call others.
func Leaf() int { return leaf(started) }

// external is written elsewhere, if at all.
//func external(x int) int
