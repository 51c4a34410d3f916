package main

func main() {
	subs := map[string]chan int{"a": make(chan int), "b": make(chan int)}
	done := make(chan bool)
	go func() {
		<-subs["a"] // want "deadlock"
		<-subs["b"]
		done <- true
	}()
	for _, c := range subs {
		c <- 1 // want "deadlock"
	}
	<-done
}
