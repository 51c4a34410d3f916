package orcutil

import (
	"fmt"
	"os"
	"strconv"
	"testing"
)

func TestZZ(t *testing.T) {
	dbg = os.Getenv("DBG") != ""
	name := os.Getenv("FAM")
	size, _ := strconv.Atoi(os.Getenv("SIZE"))
	for _, f := range allFamilies {
		if f.name != name {
			continue
		}
		out := Exhaust(Exhaustion{
			Config: Config{Bubble: bubble(t), Entry: EntryMain, Main: func() { f.main(size) }},
			Ran:    func(int, Result) {}, Found: func(int, Result) {},
		})
		fmt.Println(f.name, size, out.Runs, out.Cut)
		return
	}
}
