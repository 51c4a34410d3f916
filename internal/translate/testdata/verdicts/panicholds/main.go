package main

func one() chan int { return make(chan int, 1) }

// A panic holds its value: what a deferred function makes meanwhile is another channel.
func work() {
	defer func() {
		c := recover().(chan int)
		<-c
	}()
	defer func() {
		d := one()
		d <- 2
		<-d
	}()
	c := one()
	c <- 1
	panic(c)
}

func main() {
	for range 20 {
		work()
	}
}
