package main

func main() {
	c := make(chan int, 4)
outer:
	for i := range 4 {
		for j := range 4 {
			switch {
			case j == 2:
				continue outer
			case i == 2:
				break outer
			case j == i:
				c <- i
			}
		}
	}
	// 0 and 1 have been sent.
	<-c
	<-c
	select {
	case <-c:
		panic("one too many")
	default:
	}
}
