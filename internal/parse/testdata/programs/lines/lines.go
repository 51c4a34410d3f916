// Package lines has line directives.
package lines

import (
	"path"
	"runtime"

	"example.com/programs/show"
)

var Programs = []show.Program{
	{Name: "files: line directives", Run: lines, Allowed: []string{"gram.y 12 gram.y 20 lex.l 3 lines.go 48"}},
	{Name: "files: lines of rewritten statements", Run: rewritten, Allowed: []string{"54 60 58 62 64 71 70 79"}},
}

func line() int {
	_, _, n, _ := runtime.Caller(1)
	return n
}

func place(o *show.Out) {
	_, file, n, _ := runtime.Caller(1)
	o.Print(path.Base(file), n)
}

func lines(o *show.Out) {
	c := make(chan int, 1)
//line gram.y:10
	c <- 1
	<-c
	place(o)
	select {
	case c <- func() int {
		return 1
	}():
	case <-c:
	}

	place(o)
	/*line lex.l:3:1*/ place(o)
//line lines.go:46
	go func() {
	}()
	place(o)
}

func rewritten(o *show.Out) {
	c := make(chan int, 3)
	c <- 1
	o.Print(line())
	select {
	case v := <-c:
		c <- v
		o.Print(line( // ends on the next line
		))
	case (chan int)(nil) <- func() int { o.Print(line()); return 1 }():
	}
	o.Print(line())
	for range c {
		c <- line()
		if v := <-c; v > 0 {
			o.Print(v)
			break
		}
	}
	go func(v int) { c <- v; c <- line() }(
		line(),
	)
	o.Print(<-c, <-c)
	defer func() {
		_, _, n, _ := runtime.Caller(1)
		o.Print(n)
	}()
	close(c)
}
