package main

// Between two reads of a map that it is given another goroutine may write.
func main() {
	m := map[string]bool{}
	c := make(chan bool)
	go set(m)
	if changes(m) {
		<-c // want "deadlock"
	}
}

func set(m map[string]bool) { m["a"] = true }

func changes(m map[string]bool) bool {
	before := m["a"] // silent "concurrent map access"
	after := m["a"]  // silent "concurrent map access"
	return before != after
}
