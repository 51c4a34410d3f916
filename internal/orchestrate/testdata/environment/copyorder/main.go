package main

func main() {
	src := map[int]int{1: 1, 2: 2, 3: 3}
	var list []int
	for k := range src {
		list = append(list, k)
	}
	c := make(chan int)
	go func() {
		for _, k := range list {
			c <- k
		}
		close(c)
	}()
	prev := 4
	for k := range c {
		if k > prev {
			return
		}
		prev = k
	}
	panic("descending") // want "panic"
}
