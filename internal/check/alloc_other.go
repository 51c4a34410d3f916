//go:build !unix

package check

// allocWords allocates zeroed words.
func allocWords(n int) []uint64 { return make([]uint64, n) }

// freeWords gives back what allocWords returned.
func freeWords([]uint64) {}
