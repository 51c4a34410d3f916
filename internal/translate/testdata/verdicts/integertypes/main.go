package main

// Each type of integer wraps around at its own ends, in arithmetic and in conversions, and
// at no number before.
func main() {
	which, one := make(chan int, 1), 1
	select {
	case which <- 0:
	case which <- 1:
	case which <- 2:
	case which <- 3:
	case which <- 4:
	case which <- 5:
	case which <- 6:
	case which <- 7:
	case which <- 8:
	}
	switch <-which {
	case 0:
		i, n, o := int8(127), int8(126), int8(-127)
		if n++; n != 127 {
			panic("not yet")
		}
		if o--; o != -128 {
			panic("not yet")
		}
		if i++; i < 0 {
			panic("int8") // want "panic"
		}
	case 1:
		if i := int8(-128); i-1 > 0 {
			panic("int8") // want "panic"
		}
	case 2:
		i, n := int16(32766), int16(-32767)
		if i++; i != 32767 {
			panic("not yet")
		}
		if n--; n != -32768 {
			panic("not yet")
		}
		if i++; i < 0 {
			panic("int16") // want "panic"
		}
	case 3:
		if i := int16(-32768); i-1 > 0 {
			panic("int16") // want "panic"
		}
	case 4:
		i := uint16(65534)
		if i++; i != 65535 {
			panic("not yet")
		}
		if i++; i == 0 {
			panic("uint16") // want "panic"
		}
	case 5:
		if i := uint16(0); i-1 > 9 {
			panic("uint16") // want "panic"
		}
	case 6:
		if i := uint(0); i-1 > 9 {
			panic("uint") // want "panic"
		}
	case 7:
		n := 255 * one
		if uint8(n) != 255 || int16(n) != 255 {
			panic("not yet")
		}
		if n++; uint8(n) == 0 {
			panic("uint8") // want "panic"
		}
	case 8:
		n := -one
		if int8(n) != -1 || int64(n) != -1 {
			panic("not yet")
		}
		if uint32(n) > 9 {
			panic("uint32") // want "panic"
		}
	}
}
