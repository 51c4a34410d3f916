package programs

import "example.com/programs/show"

var tags = []show.Program{
	{Name: "files: build tags", Run: tagged, Allowed: []string{"chosen 1"}},
	{Name: "files: directives", Run: directives, Allowed: []string{"2 3"}},
}

func tagged(o *show.Out) {
	c := chosen()
	o.Print("chosen", <-c)
}

//go:noinline
func directives(o *show.Out) {
	c := make(chan int, 2)
	//nolint:all // not a directive of the go command
	c <- 2 //vtrace:reachable
	o.Print(<-c)
	go /* here */ unescaped( /* and here */ c)
	o.Print(<-c)
}

//go:nosplit
//go:norace
func three() int { return 3 }

//go:noinline
func unescaped(c chan int) { c <- three() }
