package main

func main() {
	m := map[string]map[string]int{"a": {"x": 1, "y": 2}, "b": {"x": 3, "y": 4}}
	text := ""
	for k, inner := range m {
		for i := range inner {
			text += k + i
		}
	}
	if text == "byxayx" || text == "bybxaxay" {
		panic(text) // want "panic"
	}
}
