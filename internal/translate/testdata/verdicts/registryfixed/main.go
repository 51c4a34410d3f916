// searched "bounds"
package main

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
	if len(r.rev[c]) == 0 {
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

func main() {
	cmds := make(chan cmd)
	go serve(cmds)
	a := sub(cmds, "a")
	b := sub(cmds, "b")
	pub(cmds, 1, "a", "b")
	cmds <- cmd{}
	for range a {
	}
	for range b {
	}
}
