package main

// What is appended behind a bound never shares an array: how much room appends leave does not matter, also where other
// slices of such elements grow.
func with(all []func(), f func()) []func() {
	return append(all[:len(all):len(all)], f)
}

func main() {
	c := make(chan int)
	var jobs []func()
	for range 3 {
		jobs = append(jobs, func() { c <- 1 })
	}
	more := with(jobs, func() { c <- 2 })
	go more[3]()
	go jobs[2]()
	<-c
	<-c
}
