package main

import (
	"os"
	"os/signal"
)

// At one place signals are asked for with several channels: the model has one.
func main() {
	all := []chan os.Signal{make(chan os.Signal, 1), make(chan os.Signal, 1)}
	for _, c := range all {
		signal.Notify(c, os.Interrupt) // unreal "bound exceeded"
	}
	<-all[0]
	<-all[1]
}
