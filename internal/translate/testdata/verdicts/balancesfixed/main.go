package main

import "sync"

// A balance that leaves the range of numbers that the model keeps does not end
// the path: what comes behind is still looked at.

type account struct {
	sync.Mutex
	balance int
}

func transfer(from, to *account, amount int, log chan<- string) bool {
	from.Lock()
	enough := from.balance >= amount
	if enough {
		from.balance -= amount
	}
	from.Unlock()
	if !enough {
		return false
	}
	to.Lock()
	to.balance += amount
	to.Unlock()
	log <- "done"
	return true
}

func main() {
	accounts := []*account{{balance: 1000}, {balance: 1000}}
	log := make(chan string, 2)
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			transfer(accounts[i], accounts[1-i], 70, log)
		}()
	}
	wg.Wait()
	close(log)
}
