package main

// The condition of the first loop only chooses what is done in it. That of the second one is
// left out on one path around, the step of the third one on another.
func main() {
	chosen := make(chan int)
	go func() {
		n := 0
		for i := 0; ; i++ {
			if i < 10 { // assumed "terminates"
				n++
			} else {
				n--
			}
			if n < -100 {
				n = 0
			}
			if n == 1000 {
				break
			}
		}
		chosen <- n
	}()
	asked := make(chan int)
	go func() {
		n, odd := 0, len(chosen) == 0
		for i := 0; ; i++ {
			if odd { // assumed "terminates"
				continue
			}
			if i > 10 {
				break
			}
			n++
		}
		asked <- n
	}()
	stepped := make(chan int)
	go func() {
		n, odd := 0, len(chosen) == 0
		for i := 0; i < 10; { // assumed "terminates"
			n++
			if odd {
				continue
			}
			i++
		}
		stepped <- n
	}()
	<-chosen // missed "partial deadlock"
	<-asked
	<-stepped
}
