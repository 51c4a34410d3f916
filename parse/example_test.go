package parse_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/vtrace/vtrace/parse"
)

func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	for name, text := range map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.26\n",
		"main.go": `package main

func main() {
	c := make(chan int)
	go func() { c <- 1 }()
	select {
	case v := <-c:
		println(v)
	}
}
`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			fmt.Println(err)
			return
		}
	}
	ctx := context.Background()
	overlay, err := parse.Instrument(ctx, parse.Program{Dir: dir}, parse.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(string(overlay.Files["main.go"]))
	// Output:
	// package main; import zzorc "vtraceorc"
	//
	// func main() {
	// 	c := make(chan int)
	// 	zzorc.Go(3, zzorc.Alike(func() { zzorc.To(c).Send(6, 1) }, &c))
	// 	switch zzorc_1 := zzorc.R(/*line :7:14*/c); zzorc.Select(8, 0 != 0, zzorc_1) /*line :6:9*/{
	// 	case 0: v := zzorc_1.V;
	// 		println(v)
	// 	; default: panic("unreachable"); }
	// }
}
