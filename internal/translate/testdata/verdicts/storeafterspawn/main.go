package main

type future struct {
	done chan struct{}
	v    int
}

func async(f func() int) *future {
	x := &future{done: make(chan struct{})}
	go func() {
		x.v = f()
		close(x.done)
	}()
	return x
}

// The function may run before its future is stored.
func main() {
	var c *future
	c = async(func() int {
		if c == nil {
			panic("not stored yet") // want "panic"
		}
		return 1
	})
	<-c.done
}
