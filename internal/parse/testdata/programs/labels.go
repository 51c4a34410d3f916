package programs

import (
	"sync"

	"example.com/programs/show"
)

var labels = []show.Program{
	{Name: "labels: across rewritten statements", Run: labelled, Allowed: []string{"0 1 goto 4 5 end"}},
	{Name: "labels: on a go, a send and a range", Run: labelledOperations, Allowed: []string{"2 1 9 true"}},
	{Name: "labels: switch and fallthrough", Run: fallthroughs, Allowed: []string{"one two other none"}},
	{Name: "labels: unguarded blocks", Run: blocks, Allowed: []string{"3 2 1"}},
}

func labelled(o *show.Out) {
	c := closed(0, 1, 2, 3, 4, 5, 6)
outer:
	for v := range c {
	inner:
		for {
			switch {
			case v == 2:
				break inner
			case v == 3:
				goto on
			case v == 6:
				break outer
			}
			o.Print(v)
			continue outer
		}
		continue
	on:
		o.Print("goto")
	}
	o.Print("end")
}

func labelledOperations(o *show.Out) {
	c := make(chan int, 9)
	n := 0
start:
	go func(v int) { c <- v }(n)
	if n++; <-c != 1 {
		goto start
	}
	o.Print(n)
send:
	c <- 1
	if len(c) < 2 {
		goto send
	}
	var mu sync.Mutex
lock:
	mu.Lock()
	n--
	mu.Unlock()
	if n > 1 {
		goto lock
	}
	o.Print(n)
	close(c)
drain:
	for range c {
		n += 4
		continue drain
	}
	o.Print(n)
done:
	for {
		select {
		case _, ok := <-c:
			o.Print(!ok)
			break done
		}
	}
}

func fallthroughs(o *show.Out) {
	c := full(1, 3, 4)
	for len(c) > 0 {
		switch v := <-c; v {
		case <-full(1):
			o.Print("one")
			fallthrough
		case 2:
			o.Print("two")
		case 3:
			o.Print("other")
		default:
			o.Print("none")
		}
	}
}

func blocks(o *show.Out) {
	c := full(1, 2, 3)
	{
		v := <-c
		{
			v, w := <-c, v
			if w := <-c; w > v {
				o.Print(w)
			} else {
				panic("no")
			}
			o.Print(v, w)
		}
	}
}
