package main

type stop struct{}

func main() {
	c := make(chan any, 3)
	c <- 1
	c <- make(chan int, 1)
	c <- stop{}
	for {
		switch v := (<-c).(type) {
		case int:
			if v != 1 {
				panic("another number")
			}
		case chan int:
			v <- 1
			v <- 2 // want "deadlock"
		case stop:
			return
		}
	}
}
