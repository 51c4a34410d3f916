package main

func main() {
	var fs []func() string
	for k := range map[string]bool{"a": true, "b": true} {
		fs = append(fs, func() string { return k })
	}
	c := make(chan string)
	go func() { c <- fs[0]() }()
	if <-c == "b" {
		panic("b") // want "panic"
	}
}
