package main

// The model does not keep the entries of this map, with all their parts.
type entry struct {
	name, from, to, by, at, host, port, path, user, group, mode, kind, size, seen, last, next string

	ready *bool
	on    struct{ count *counter }
	done  map[string]bool
	more  *[]string
	left  map[string]bool
}

type counter struct{ n int }

// What is written through pointers that come out of it is seen by everybody who has them.
func main() {
	entries := map[string]entry{}
	var ready bool
	var count counter
	var more []string
	done, left := map[string]bool{}, map[string]bool{"a": true}
	e := entry{ready: &ready, done: done, more: &more, left: left}
	e.on.count = &count
	entries["a"] = e
	*entries["a"].ready = true                           // under "unknown-memory"
	entries["a"].on.count.n++                            // under "unknown-memory"
	entries["a"].done["a"] = true                        // under "unknown-memory"
	*entries["a"].more = append(*entries["a"].more, "a") // under "unknown-memory"
	delete(entries["a"].left, "a")                       // under "unknown-memory"
	which := make(chan int, 1)
	select {
	case which <- 0:
	case which <- 1:
	case which <- 2:
	case which <- 3:
	case which <- 4:
	}
	n := <-which
	if n == 0 && ready || n == 1 && count.n == 1 || n == 2 && done["a"] || n == 3 && len(more) == 1 || n == 4 && !left["a"] {
		<-which // missed "deadlock"
	}
}
