package main

func count[T any](v []T, more func(T) bool) int {
	n := 0
	for {
		if n++; more(v[n%len(v)]) { // assumed "terminates"
			return n
		}
	}
}

// The loops of instances of generic functions are looked at, and cycles that goto enters at
// two places, and labels however they are called.
func main() {
	generic := make(chan int)
	go func() {
		generic <- count([]int{1}, func(v int) bool { return v < 0 })
	}()
	tangled := make(chan int)
	go func() {
		n := 0
		if len(generic) > 0 {
			goto second
		}
	first:
		n++
	second:
		n-- // assumed "terminates"
		if n < 5 {
			goto first
		}
		tangled <- n
	}()
	labelled := make(chan int)
	go func() {
		n := 0
	rangeAgain:
		n++ // assumed "terminates"
		if n > 0 {
			n--
			goto rangeAgain
		}
		labelled <- n
	}()
	<-generic // missed "partial deadlock"
	<-tangled
	<-labelled
}
