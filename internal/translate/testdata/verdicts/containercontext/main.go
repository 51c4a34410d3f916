package main

import "context"

type logger interface{ log(string) }

type quiet struct{}

func (quiet) log(string) {}

type sender struct{ c chan string }

func (s sender) log(text string) { s.c <- text } // want "deadlock"

type key struct{}

func loggerOf(ctx context.Context) logger {
	if l, ok := ctx.Value(key{}).(logger); ok {
		return l
	}
	return quiet{}
}

func main() {
	ctx := context.WithValue(context.Background(), key{}, sender{make(chan string)})
	l := loggerOf(ctx)
	l.log("x")
}
