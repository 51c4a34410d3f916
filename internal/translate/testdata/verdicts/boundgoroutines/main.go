package main

// More goroutines than the model has for a loop whose end it does not know.
func main() {
	c := make(chan int)
	for range 70 {
		go func() { <-c }() // unreal "bound exceeded"
	}
	c = nil
	<-c // missed "deadlock"
}
