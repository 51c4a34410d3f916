package testmain

import (
	"flag"
	"os"
	"testing"
)

var verbose bool

// TestMain sets a variable that only conditions read: they are choices.
func TestMain(m *testing.M) {
	flag.BoolVar(&verbose, "more", false, "say more")
	flag.Parse()
	os.Exit(m.Run())
}

func TestProgram(t *testing.T) {
	done, said := make(chan int), make(chan int, 1)
	go func() {
		if verbose {
			said <- 1
		}
		done <- 1
	}()
	<-done
}
