package main

// What a loop calculates in 300000 iterations decides whether anybody sends. The model does not follow it to its end.
func main() {
	sum, c := 1, make(chan int)
	go func() {
		for i := 0; i < 300000; i++ {
			sum = (sum*5 + i) % 8 // unreal "bound exceeded"
		}
		if sum == 3 {
			c <- 1
		}
	}()
	<-c // missed "deadlock"
}
