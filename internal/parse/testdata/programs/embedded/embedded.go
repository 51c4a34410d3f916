// Package embedded embeds a file.
package embedded

import (
	_ "embed"
	"strings"

	"example.com/programs/show"
)

//go:embed words.txt
var words string

// Programs use the file.
var Programs = []show.Program{{Name: "files: embedded", Run: read, Allowed: []string{"to be or"}}}

func read(o *show.Out) {
	c := make(chan string)
	go func() {
		defer close(c)
		for _, w := range strings.Fields(words) {
			c <- w
		}
	}()
	for w := range c {
		o.Print(w)
	}
}
