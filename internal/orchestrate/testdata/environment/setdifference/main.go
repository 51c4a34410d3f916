package main

func main() {
	want := map[int]bool{1: true, 2: true, 3: true}
	results := make(chan int)
	go func() {
		for k := range want { // want "concurrent map access"
			results <- k
		}
	}()
	for i := 1; i <= 3; i++ {
		if got := <-results; got == 4-i && i != 2 {
			delete(want, 2)
		}
		if len(want) == 2 {
			panic("reversed") // want "panic"
		}
	}
}
