package main

func sum(n int) (all int) {
	for i := range n {
		all += i
	}
	return all
}

func count(n int) int { return n + 1 }

func main() {
	done := make(chan int, count(1))
	done <- sum(3)
	<-done
}
