package main

// A function calls itself deeper than the model counts.
func main() {
	c := make(chan int, 1)
	down(20, c)
	<-c
	<-c // missed "deadlock"
}

func down(n int, c chan int) {
	if n == 0 {
		c <- 1
		return
	}
	down(n-1, c) // unreal "bound exceeded"
}
