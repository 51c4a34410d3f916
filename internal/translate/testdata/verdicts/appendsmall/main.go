package main

var all, a, b []int32

// One number takes eight bytes, the least that there is: the next one comes into the same
// array, whoever appends it.
func main() {
	all = append(all, 1)
	a = append(all, 2)
	b = append(all, 3)
	if a[1] == 3 && b[1] == 3 {
		var c chan int
		<-c // want "deadlock"
	}
}
