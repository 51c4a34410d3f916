package main

type queue struct{ items, out []int }

func (q *queue) put(v int) { q.out = append(q.out, v) }

// As loopgrows, up to what there was at first.
func main() {
	items := make(chan bool)
	go func() {
		q := &queue{items: []int{1}}
		for i := 0; i < len(q.items); i++ {
			q.out = append(q.out, i)
		}
		close(items)
	}()
	called := make(chan bool)
	go func() {
		q := &queue{items: []int{1}}
		for i := 0; i < len(q.items); i++ {
			q.put(i)
		}
		close(called)
	}()
	captured := make(chan bool)
	go func() {
		n, sum := 1, 0
		more := func() { sum++ }
		for i := 0; i < n; i++ {
			more()
		}
		close(captured)
	}()
	entries := make(chan bool)
	go func() {
		m := map[int]bool{0: true}
		for i, n := 0, len(m); i < n; i++ {
			m[i+1] = true
		}
		close(entries)
	}()
	<-items
	<-called
	<-captured
	<-entries
}
