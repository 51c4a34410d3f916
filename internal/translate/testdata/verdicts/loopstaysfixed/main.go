package main

// As loopstays, where each path around comes by the condition and the step.
func main() {
	chosen := make(chan int)
	go func() {
		n := 0
		for i := 0; i < 1000; i++ {
			if i < 10 {
				n++
			} else {
				n--
			}
		}
		chosen <- n
	}()
	asked := make(chan int)
	go func() {
		n, odd := 0, len(chosen) == 0
		for i := 0; ; i++ {
			if i > 10 {
				break
			}
			if odd {
				continue
			}
			n++
		}
		asked <- n
	}()
	stepped := make(chan int)
	go func() {
		n, odd := 0, len(chosen) == 0
		for i := 0; i < 10; {
			n++
			if odd {
				i += 2
				continue
			}
			i++
		}
		stepped <- n
	}()
	<-chosen
	<-asked
	<-stepped
}
