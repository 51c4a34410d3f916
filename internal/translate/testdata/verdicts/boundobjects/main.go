// One allocation needs five objects, among many that need one or two: the model is
// too large with eight of each.
//
// searched "bounds"
package main

type node struct{ next *node }

type cmd struct {
	op     int
	topics []string
	ch     chan int
	msg    int
}

type reg struct {
	topics map[string]map[chan int]bool
	rev    map[chan int]map[string]bool
}

func (r *reg) add(t string, c chan int) {
	if r.topics[t] == nil {
		r.topics[t] = make(map[chan int]bool)
	}
	r.topics[t][c] = true
	if r.rev[c] == nil {
		r.rev[c] = make(map[string]bool)
	}
	r.rev[c][t] = true
}

func (r *reg) send(t string, v int) {
	for c := range r.topics[t] {
		c <- v
	}
}

func (r *reg) remove(t string, c chan int) {
	if _, ok := r.topics[t]; !ok {
		return
	}
	if _, ok := r.topics[t][c]; !ok {
		return
	}
	delete(r.topics[t], c)
	delete(r.rev[c], t)
	if len(r.topics[t]) == 0 {
		delete(r.topics, t)
	}
	if len(r.rev[c]) == 1 { // it is not in there any more
		close(c)
		delete(r.rev, c)
	}
}

func serve(cmds chan cmd) {
	r := &reg{map[string]map[chan int]bool{}, map[chan int]map[string]bool{}}
loop:
	for cmd := range cmds {
		if cmd.topics == nil {
			break loop
		}
		for _, t := range cmd.topics {
			switch cmd.op {
			case 0:
				r.add(t, cmd.ch)
			case 1:
				r.send(t, cmd.msg)
			}
		}
	}
	for t, cs := range r.topics {
		for c := range cs {
			r.remove(t, c)
		}
	}
}

func sub(cmds chan cmd, topics ...string) chan int {
	c := make(chan int, 1)
	cmds <- cmd{op: 0, topics: topics, ch: c}
	return c
}

func pub(cmds chan cmd, v int, topics ...string) {
	cmds <- cmd{op: 1, topics: topics, msg: v}
}

// chain makes as many nodes as it is told to.
func chain(more chan bool, done chan *node) {
	var head *node
	for range more {
		head = &node{head}
	}
	done <- head
}

func main() {
	cmds := make(chan cmd)
	go serve(cmds)
	a := sub(cmds, "a")
	more, done := make(chan bool), make(chan *node)
	go chain(more, done)
	for range 5 {
		more <- true
	}
	close(more)
	n := 0
	for h := <-done; h != nil; h = h.next {
		n++
	}
	if n == 5 {
		<-a // want "deadlock"
	}
	cmds <- cmd{}
}
