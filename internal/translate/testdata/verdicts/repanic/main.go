package main

func f() {
	defer func() {
		recover()
		panic("second") // want "panic"
	}()
	panic("first")
}

func main() { f() }
