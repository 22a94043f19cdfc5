package main; import "fmt"; import "os"

import "example.org/tricky/lib"
import "sync"

func main() {
	for i := 0; i < 10; i++ {
		once()
	}
	var wait sync.WaitGroup
	for i := 0; i < 8; i++ {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for i := 0; i < 1000; i++ {
				lib.Empty()
			}
		}()
	}
	wait.Wait()
	defer fmt.Println("never printed")
	os.Exit(3)
}

func once() {
	text, err := lib.EarlyReturn(2)
	_, late := lib.EarlyReturn(9)
	handled := 0
	func() {
		defer lib.Handler(&handled)
		panic("once more")
	}()
	t := &lib.Type{}
	t.Pointer()
	value, brace := t.Value()
	lib.Spreads(2)
	fmt.Println(text, err, late, lib.OneLine(), lib.Recovers(), handled, lib.Recursive(20), lib.Even(9), value, brace)
	fmt.Println(lib.Closure(1, -2, 3), lib.Shadows(1, 2), lib.Leaf())
}
