package main

func main() {
	type edge struct{ from, to string }
	graph := map[edge]int{{"a", "b"}: 1, {"b", "a"}: 2, {"a", "c"}: 3}
	sum, weight := 0, 1
	for _, n := range graph {
		sum += weight * n
		weight *= 10
	}
	if sum == 123 {
		panic(sum) // want "panic"
	}
}
