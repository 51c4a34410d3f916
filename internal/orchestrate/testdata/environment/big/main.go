package main

func main() {
	m := map[int]bool{}
	for i := range 50 {
		m[i] = true
	}
	for k := range m {
		if k > 40 {
			panic(k) // want "panic"
		}
		break
	}
}
