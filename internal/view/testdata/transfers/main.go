// Command transfers locks two accounts in two orders.
package main

import "sync"

type account struct {
	mu      sync.Mutex
	balance int
}

func transfer(from, to *account, amounts <-chan int, wg *sync.WaitGroup) {
	defer wg.Done()
	amount := <-amounts
	from.mu.Lock()
	to.mu.Lock()
	from.balance -= amount
	to.balance += amount
	to.mu.Unlock()
	from.mu.Unlock()
}

func main() {
	var a, b account
	var wg sync.WaitGroup
	amounts := make(chan int, 2)
	answer := make(chan bool)
	a.mu.Lock()
	a.balance = 9
	a.mu.Unlock()
	wg.Add(2)
	go transfer(&a, &b, amounts, &wg)
	go transfer(&b, &a, amounts, &wg)
	amounts <- 7
	amounts <- 4
	go func() { answer <- true }()
	if <-answer {
		wg.Wait()
	}
	if a.balance > 10 {
		panic("more than there was")
	}
}
