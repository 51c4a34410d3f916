package main

var hook func()

func main() {
	hook() // want "call of nil function"
}
