// Package main divides by what is sent first, and shifts by what is sent next, where that can
// be done.
package main

func main() {
	parts, done := make(chan int), make(chan int, 4)
	send := func(n int) {
		parts <- n
		done <- n
	}
	go send(0)
	go send(-1)
	first := <-parts
	second := <-parts
	if first >= 0 && 8/(first+1) < 0 {
		<-done
	}
	if second >= 0 && 8>>second == 4 {
		<-done
	}
}
