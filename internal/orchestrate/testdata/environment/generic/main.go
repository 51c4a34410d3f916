package main

func first[M ~map[K]V, K comparable, V any](m M) (k K) {
	for k = range m {
		return k
	}
	return k
}

func main() {
	if first(map[string]int{"a": 1, "b": 2}) == "b" {
		panic("b") // want "panic"
	}
}
