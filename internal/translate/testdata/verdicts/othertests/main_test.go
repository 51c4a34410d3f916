package othertests

import (
	"os"
	"strconv"
	"testing"
)

// Which of many functions runs, a number says that is not known: any that the
// test has registered. Those of other tests are not among them.
var tasks [1000]func()

func run(s string) {
	n, _ := strconv.Atoi(s)
	if f := tasks[n%1000]; f != nil {
		f()
	}
}

func TestOther(t *testing.T) {
	c := make(chan int)
	close(c)
	tasks[1] = func() { close(c) }
	run(os.Getenv("TASK"))
}

func TestProgram(t *testing.T) {
	done := make(chan int)
	tasks[2] = func() {}
	go func() {
		run(os.Getenv("TASK"))
		close(done)
	}()
	<-done
}
