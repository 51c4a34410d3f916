package main

func main() {
	m := map[int][]int{1: {1, 2}, 2: {3}}
	total := 0
outer:
	for _, list := range m {
		for _, n := range list {
			if n == 3 {
				break outer
			}
			total += n
		}
	}
	if total == 0 {
		panic("nothing") // want "panic"
	}
}
