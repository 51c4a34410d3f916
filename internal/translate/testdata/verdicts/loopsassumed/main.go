package main

import "os"

type node struct{ next *node }

var sum int

// ends are loops that end by their form.
func ends(n int, s []int, m map[string]int, a [4]int) {
	for i := 0; i < n; i++ {
		sum++
	}
	for i := n; i >= 0; i-- {
		sum++
	}
	for i := 0; n >= i; i += 2 {
		sum++
	}
	for i := n; 0 < i; i -= 2 {
		sum++
	}
	for i := 0; i != n; i++ {
		sum++
	}
	for i := 0; i < len(s); i++ {
		sum += s[i]
	}
	for i := 0; i < cap(more(s)); i++ {
		sum++
	}
	for i := range n {
		sum += i
	}
	for k := range m {
		sum += len(k)
	}
	for _, v := range a {
		sum += v
	}
	for range os.Args[0] {
		sum++
	}
}

// may are loops that only may end. The model says of each that it is taken for granted.
func may(n, k int, s []int, l *node, f float64) {
	for i := 0; i != n; i += 2 { // assumed "terminates"
		sum++
	}
	for i := 1; i > 0; i++ { // assumed "terminates"
		sum++
	}
	for i := 1; i < n; i *= 2 { // assumed "terminates"
		sum++
	}
	for i := 0; i < n; i += k { // assumed "terminates"
		sum++
	}
	for i := 0; i < n-sum; i++ { // assumed "terminates"
		sum++
	}
	for i := 0; i < len(s); i++ { // assumed "terminates"
		s = append(s, s[i]/2)
	}
	for i := 0; i == sum; i++ { // assumed "terminates"
		sum++
	}
	for i := 0; i < n; i = sum + 1 { // assumed "terminates"
		sum++
	}
	for ; l != nil; l = l.next { // assumed "terminates"
		sum++
	}
	for f > 1 { // assumed "terminates"
		f /= 2
	}
	for {
		if sum++; sum > n { // assumed "terminates"
			break
		}
	}
}

func more(s []int) []int { return s }

func main() {
	ends(len(os.Args), nil, nil, [4]int{})
	may(len(os.Args), 1, nil, nil, 1)
	<-make(chan int) // want "deadlock" // unconfirmed "some of the loops do not end, although the model takes it for granted"
}
