package main

type queue struct{ items []int }

func (q *queue) put(v int) { q.items = append(q.items, v) }

// What the loops count up to grows with each iteration: in the loop itself, in a method, and in
// a closure that has the variable.
func main() {
	items := make(chan bool)
	go func() {
		q := &queue{items: []int{1}}
		for i := 0; i < len(q.items); i++ { // assumed "terminates"
			q.items = append(q.items[:1], i)
			q.items = append(q.items, make([]int, i)...)
		}
		close(items)
	}()
	called := make(chan bool)
	go func() {
		q := &queue{items: []int{1}}
		for i := 0; i < len(q.items); i++ { // assumed "terminates"
			q.put(i)
		}
		close(called)
	}()
	captured := make(chan bool)
	go func() {
		n := 1
		more := func() { n++ }
		for i := 0; i < n; i++ { // assumed "terminates"
			more()
		}
		close(captured)
	}()
	entries := make(chan bool)
	go func() {
		m := map[int]bool{0: true}
		for i := 0; i < len(m); i++ { // assumed "terminates"
			m[i+1] = true
		}
		close(entries)
	}()
	<-items // missed "partial deadlock"
	<-called
	<-captured
	<-entries
}
