package main

func main() {
	subs := map[chan int]bool{}
	a, b := make(chan int), make(chan int)
	subs[a], subs[b] = true, true
	go func() {
		<-a // want "deadlock"
		<-b
	}()
	for c := range subs {
		c <- 1 // want "deadlock"
	}
}
