package main

import "io"

func main() {
	_, w := io.Pipe()       // under "unknown-call"
	w.Write([]byte("text")) // missed "deadlock"
}
