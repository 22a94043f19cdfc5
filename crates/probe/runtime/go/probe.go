// Package benchwrightprobe counts the calls of functions and slows functions down. It is part of a build for
// `benchwright grade` and never of the program that is shipped.
//
// The counters lie in a file that is mapped into memory, so neither os.Exit nor a crash loses any of them.
package benchwrightprobe

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

// functions is how many functions have a number.
const functions = __COUNT__

// cell has the calls of a function, its own nanoseconds and the nanoseconds added to it.
type cell [3]uint64

var (
	cells = open()
	debts [functions]int64
	base  = time.Now()
)

// open returns the counters: a file of this process if one is wanted, else ordinary memory.
func open() *[functions]cell {
	directory := os.Getenv("BENCHWRIGHT_PROBE_DIR")
	if directory == "" {
		return new([functions]cell)
	}
	for attempt := 0; attempt < 100; attempt++ {
		name := fmt.Sprintf("%d-%x-%d.probe", os.Getpid(), time.Now().UnixNano(), attempt)
		file, err := os.OpenFile(filepath.Join(directory, name), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0666)
		if os.IsExist(err) {
			continue
		}
		if err != nil {
			break
		}
		size := functions * int(unsafe.Sizeof(cell{}))
		var memory []byte
		if err = file.Truncate(int64(size)); err == nil {
			memory, err = syscall.Mmap(int(file.Fd()), 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
		}
		file.Close()
		if err != nil {
			break
		}
		return (*[functions]cell)(unsafe.Pointer(&memory[0]))
	}
	fmt.Fprintf(os.Stderr, "benchwright: cannot write counters to %s\n", directory)
	return new([functions]cell)
}

// Count counts a call.
func Count(id int) {
	atomic.AddUint64(&cells[id][0], 1)
}

// Enter begins a call that Leave ends. It returns the time, or -1 for a call within another call of the function.
func Enter(id int) int64 {
	costsOnce.Do(measureCosts)
	return enter(id, &cells[id])
}

// Leave ends a call and makes it longer by the factor.
func Leave(id int, factor float64, start int64) {
	if start >= 0 {
		leave(id, factor, start, &cells[id], &debts[id])
	}
}

// Busy counts a call and waits.
func Busy(id int, nanoseconds int64) {
	loopOnce.Do(measureLoop)
	busy(nanoseconds, &cells[id])
}

// call is an outermost call that has not ended: of which function, in which goroutine.
type call struct {
	goroutine uintptr
	id        int
	nested    int64
}

// calls that have not ended, by goroutine.
type shard struct {
	sync.Mutex
	calls []call
	_     [64]byte
}

var shards [256]shard

func shardOf(goroutine uintptr) *shard {
	return &shards[uint64(goroutine)*0x9E3779B97F4A7C15>>56]
}

func now() int64 {
	return int64(time.Since(base))
}

func enter(id int, c *cell) int64 {
	atomic.AddUint64(&c[0], 1)
	self := goroutine()
	s := shardOf(self)
	s.Lock()
	for i := range s.calls {
		if open := &s.calls[i]; open.goroutine == self && open.id == id {
			open.nested++
			s.Unlock()
			return -1
		}
	}
	s.calls = append(s.calls, call{goroutine: self, id: id})
	s.Unlock()
	return now()
}

// Times of the probe itself in picoseconds: what of it an own time includes, what a call costs, and a nested call.
var insideCost, callCost, nestedCost int64
var costsOnce sync.Once

// The debt is paid when it has reached this many picoseconds; a shorter wait would be inexact.
const payFrom = 1000 * 1000

// Time beyond what was wanted, as the probe itself takes some, counts against later calls, but no more than this.
const maxCredit = 10 * 1000 * 1000

func leave(id int, factor float64, start int64, c *cell, debt *int64) {
	elapsed := now() - start
	self := goroutine()
	s := shardOf(self)
	var nested int64
	s.Lock()
	for i := range s.calls {
		if open := &s.calls[i]; open.goroutine == self && open.id == id {
			nested = open.nested
			last := len(s.calls) - 1
			s.calls[i] = s.calls[last]
			s.calls = s.calls[:last]
			break
		}
	}
	s.Unlock()
	own := elapsed*1000 - insideCost - nested*nestedCost
	cost := callCost + nested*nestedCost
	atomic.AddUint64(&c[1], uint64((own+500)/1000))
	added := (cost + 500) / 1000
	owes := int64(float64(own)*factor) - cost
	owed := atomic.AddInt64(debt, owes)
	if owed >= payFrom {
		if owed = atomic.SwapInt64(debt, 0); owed > 0 {
			spent := spin(owed/1000) * 1000
			// What goes far beyond is an interruption by the system. If it counted, the next calls would not be slow.
			if spent > owed+maxCredit {
				spent = owed + maxCredit
			}
			atomic.AddInt64(debt, owed-spent)
			added += spent / 1000
		}
	} else if owes < 0 && owed < -maxCredit {
		atomic.AddInt64(debt, -owes)
	}
	atomic.AddUint64(&c[2], uint64(added))
}

// spin is busy until the time has passed, and returns how long it was.
func spin(nanoseconds int64) int64 {
	start := now()
	for {
		if passed := now() - start; passed >= nanoseconds {
			return passed
		}
	}
}

func median(values []int64) int64 {
	sort.Slice(values, func(i, j int) bool { return values[i] < values[j] })
	return values[len(values)/2]
}

//go:noinline
func plain() {}

var (
	scratch     cell
	scratchDebt int64
)

//go:noinline
func probed() {
	defer leave(functions, 0, enter(functions, &scratch), &scratch, &scratchDebt)
}

//go:noinline
func probedWithin() {
	defer Leave(functions, 0, enter(functions, &scratch))
}

const rounds, perRound = 41, 128

// measureCosts measures the probe in calls of a function that does nothing. The costs are 0 while it does.
func measureCosts() {
	var inside, whole, nested []int64
	for round := 0; round < rounds; round++ {
		ownBefore := scratch[1]
		start := now()
		for i := 0; i < perRound; i++ {
			probed()
		}
		middle := now()
		for i := 0; i < perRound; i++ {
			plain()
		}
		end := now()
		inside = append(inside, int64(scratch[1]-ownBefore)*1000/perRound)
		whole = append(whole, ((middle-start)-(end-middle))*1000/perRound)
		outer := enter(functions, &scratch)
		start = now()
		for i := 0; i < perRound; i++ {
			probedWithin()
		}
		nested = append(nested, (now()-start)*1000/perRound)
		leave(functions, 0, outer, &scratch, &scratchDebt)
	}
	insideCost, callCost, nestedCost = median(inside), median(whole), median(nested)
}

// What a wait takes without its loop, how much of that its clock does not see, and a turn of the loop, in picoseconds.
var waitCost, unseenCost, turnCost int64
var loopOnce sync.Once

// Waits of this length or longer look at the clock again and again.
const clockFrom = 1000

// Processors compute nothing across a reading of the clock. Without one at each end, much of a short wait would pass
// while they are still busy with the code before it, or already with the code behind it.
func busy(nanoseconds int64, c *cell) {
	atomic.AddUint64(&c[0], 1)
	start := now()
	var x uint64
	if nanoseconds < clockFrom {
		x = turn(uint64(start), (nanoseconds*1000-waitCost)/turnCost)
	} else {
		spin(nanoseconds - waitCost/1000)
	}
	passed := now() - start + int64(x&noBits)
	atomic.AddUint64(&c[2], uint64(passed+(unseenCost+500)/1000))
}

// noBits is 0, which compilers do not know.
var noBits uint64

// turn computes random numbers, each from the last, which no compiler can shorten.
//
//go:noinline
func turn(seed uint64, times int64) uint64 {
	x := seed | 1
	for i := int64(0); i < times; i++ {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}

// measureLoop measures waits of no turns and of many.
func measureLoop() {
	const turns = 500
	waitCost, unseenCost, turnCost = 0, 0, 1
	var short, unseen, long []int64
	for round := 0; round < rounds; round++ {
		seenBefore := scratch[2]
		start := now()
		for i := 0; i < perRound; i++ {
			busy(0, &scratch)
		}
		taken := now() - start
		short = append(short, taken*1000/perRound)
		unseen = append(unseen, (taken-int64(scratch[2]-seenBefore))*1000/perRound)
		start = now()
		for i := 0; i < 8; i++ {
			scratch[1] += turn(1, turns)
		}
		long = append(long, (now()-start)*1000/(8*turns))
	}
	turnCost = median(long)
	if turnCost < 1 {
		turnCost = 1
	}
	waitCost, unseenCost = median(short), median(unseen)
}
