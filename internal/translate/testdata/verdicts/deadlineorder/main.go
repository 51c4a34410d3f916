package main

import "time"

const long = time.Minute

var longer = time.Hour

func after(d time.Duration) <-chan time.Time { return time.After(2 * d) }

// What was armed first, for a shorter time, has come when the other comes.
func main() {
	first := time.NewTimer(time.Second)
	second, third, fourth := time.After(long), after(long), time.After(longer)
	<-fourth
	for _, c := range []<-chan time.Time{first.C, second, third} {
		select {
		case <-c:
		default:
			panic("the longer time was over first")
		}
	}
}
