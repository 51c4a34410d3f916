package programs

import (
	"slices"
	"strconv"
	"testing"

	"example.com/programs/show"
)

// InTests are programs of test files.
var InTests = []show.Program{
	{Name: "files: tests", Run: inTest, Allowed: []string{"0 a b", "0 b a"}},
}

func inTest(o *show.Out) {
	c := make(chan string)
	for _, s := range []string{"a", "b"} {
		go func() { c <- s }()
	}
	o.Print(uses)
	o.Print(<-c, <-c)
}

// TestSorted is a test with operations beside the programs.
func TestSorted(t *testing.T) {
	c := make(chan int)
	t.Cleanup(func() { close(c) })
	for i := range 3 {
		go func() { c <- i }()
	}
	got := []int{<-c, <-c, <-c}
	slices.Sort(got)
	t.Run(strconv.Itoa(len(got)), func(t *testing.T) {
		if !slices.Equal(got, []int{0, 1, 2}) {
			t.Fatal(got)
		}
	})
}
