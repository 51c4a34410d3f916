package main

// Names of the language that are declared anew.
func len(c chan int) int { return <-c }

func main() {
	c := make(chan int, 1)
	close := func(c chan int) { c <- 1 }
	close(c)
	if len(c) != 1 {
		panic := func(string) {}
		panic("not the builtin")
	}
	type string struct{ c chan int }
	s := string{c}
	<-s.c // want "deadlock"
}
