package main

func main() {
	m := map[any]int{1: 1, "one": 2, 1.5: 3, [2]int{1, 2}: 4}
	for k, v := range m {
		if v == 4 {
			panic(k) // want "panic"
		}
		break
	}
}
