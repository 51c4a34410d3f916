package main

import "log"

// What libraries have in their structs is their own: of values in a large buffer nothing needs to be known for that.
func main() {
	logs := make(chan *log.Logger, 100)
	for range 20 {
		logs <- log.Default()
	}
	for range 20 {
		<-logs
	}
	<-logs // want "deadlock"
}
