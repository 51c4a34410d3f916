// A registry of subscribers, as of a publisher with topics: maps of maps, of
// which there are too many for the default bounds.
package main

import "os"

type command struct {
	op     int
	topics []string
	ch     chan int
}

type registry struct {
	topics map[string]map[chan int]int
	back   map[chan int]map[string]bool
}

func (r *registry) add(topic string, ch chan int, kind int) {
	if r.topics[topic] == nil {
		r.topics[topic] = make(map[chan int]int)
	}
	r.topics[topic][ch] = kind
	if r.back[ch] == nil {
		r.back[ch] = make(map[string]bool)
	}
	r.back[ch][topic] = true
}

func (r *registry) send(topic string) {
	for ch, kind := range r.topics[topic] {
		ch <- 1
		if kind == 0 {
			for t := range r.back[ch] {
				r.remove(t, ch)
			}
		}
	}
}

func (r *registry) remove(topic string, ch chan int) {
	if _, ok := r.topics[topic]; !ok {
		return
	}
	if _, ok := r.topics[topic][ch]; !ok {
		return
	}
	delete(r.topics[topic], ch)
	delete(r.back[ch], topic)
	if len(r.topics[topic]) == 0 {
		delete(r.topics, topic)
	}
	if len(r.back[ch]) == 0 {
		close(ch)
		delete(r.back, ch)
	}
}

func serve(commands chan command) {
	r := registry{make(map[string]map[chan int]int), make(map[chan int]map[string]bool)}
	for c := range commands {
		for _, t := range c.topics {
			switch c.op {
			case 0:
				r.add(t, c.ch, c.op)
			case 1:
				r.send(t)
			case 2:
				r.remove(t, c.ch)
			}
		}
	}
	for t, chans := range r.topics {
		for ch := range chans {
			r.remove(t, ch)
		}
	}
}

func main() {
	commands := make(chan command)
	go serve(commands)
	ch := make(chan int, 1)
	commands <- command{0, os.Args, ch}
	commands <- command{1, os.Args, nil}
	commands <- command{2, os.Args, ch}
	close(commands)
	for range ch {
	}
}
