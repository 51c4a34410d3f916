package c

import "example.com/programs/show"

// Programs call C.
var Programs = []show.Program{{Name: "files: cgo", Run: call, Allowed: []string{"4 6"}}}

func call(o *show.Out) {
	c := make(chan int)
	go func() { c <- twice(2) }()
	o.Print(<-c, twice(3))
}
