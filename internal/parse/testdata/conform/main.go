// Command conform exercises every construct that the instrumenter rewrites and
// prints what comes out.
package main

import (
	"fmt"

	"example.com/conform/chans"
	"example.com/conform/dot"
	"example.com/conform/ends"
	"example.com/conform/gos"
	"example.com/conform/inits"
	"example.com/conform/locks"
	"example.com/conform/loops21"
	"example.com/conform/rooms"
	"example.com/conform/selects"
	"example.com/conform/stmts"
)

func main() {
	for _, p := range []struct {
		name string
		run  func()
	}{
		{"chans", chans.Run}, {"selects", selects.Run}, {"gos", gos.Run}, {"locks", locks.Run},
		{"stmts", stmts.Run}, {"inits", inits.Run}, {"loops21", loops21.Run}, {"dot", dot.Run}, {"ends", ends.Run}, {"rooms", rooms.Run},
	} {
		fmt.Println("==", p.name)
		p.run()
	}
}
