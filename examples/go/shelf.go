// Package shelf is a small library with benchmarks of every kind that Go's package testing knows.
package shelf

// Sum adds up values.
func Sum(values []int) int {
	total := 0
	for _, value := range values {
		total += value
	}
	return total
}

// Fill returns n numbers.
func Fill(n int) []int {
	values := make([]int, n)
	for i := range values {
		values[i] = i * 7 % 13
	}
	return values
}
