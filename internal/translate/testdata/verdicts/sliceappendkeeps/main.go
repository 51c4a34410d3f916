package main

func main() {
	var cs []chan int
	for i := range 3 {
		c := make(chan int, 1)
		c <- i
		cs = append(cs, c)
	}
	for i, c := range cs {
		if <-c != i {
			panic("an earlier element is lost")
		}
	}
	<-cs[0] // want "deadlock"
}
