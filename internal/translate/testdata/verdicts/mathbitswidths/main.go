package main

import "math/bits"

// Bits are counted in numbers of every width.
func main() {
	n := 12
	for i, ok := range []bool{
		bits.Len(uint(n)) == 4 && bits.Len(0) == 0 && bits.OnesCount(uint(n)) == 2,
		bits.TrailingZeros(uint(n)) == 2 && bits.TrailingZeros(0) == bits.UintSize,
		bits.LeadingZeros(uint(n)) == bits.UintSize-4 && bits.LeadingZeros(0) == bits.UintSize,
		bits.Len8(uint8(n)) == 4 && bits.Len8(0) == 0 && bits.OnesCount8(uint8(n)) == 2,
		bits.TrailingZeros8(uint8(n)) == 2 && bits.TrailingZeros8(0) == 8,
		bits.LeadingZeros8(uint8(n)) == 8-4 && bits.LeadingZeros8(0) == 8,
		bits.Len16(uint16(n)) == 4 && bits.Len16(0) == 0 && bits.OnesCount16(uint16(n)) == 2,
		bits.TrailingZeros16(uint16(n)) == 2 && bits.TrailingZeros16(0) == 16,
		bits.LeadingZeros16(uint16(n)) == 16-4 && bits.LeadingZeros16(0) == 16,
		bits.Len32(uint32(n)) == 4 && bits.Len32(0) == 0 && bits.OnesCount32(uint32(n)) == 2,
		bits.TrailingZeros32(uint32(n)) == 2 && bits.TrailingZeros32(0) == 32,
		bits.LeadingZeros32(uint32(n)) == 32-4 && bits.LeadingZeros32(0) == 32,
		bits.Len64(uint64(n)) == 4 && bits.Len64(0) == 0 && bits.OnesCount64(uint64(n)) == 2,
		bits.TrailingZeros64(uint64(n)) == 2 && bits.TrailingZeros64(0) == 64,
		bits.LeadingZeros64(uint64(n)) == 64-4 && bits.LeadingZeros64(0) == 64,
	} {
		if !ok {
			panic(i)
		}
	}
	<-make(chan int) // want "deadlock"
}
