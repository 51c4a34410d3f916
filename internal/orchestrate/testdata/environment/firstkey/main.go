package main

func main() {
	m := map[string]int{"a": 1, "b": 2, "c": 3}
	for k := range m {
		if k == "c" {
			panic("c first") // want "panic"
		}
		break
	}
}
