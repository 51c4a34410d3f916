package main

import (
	"reflect"
)

func main() {
	keys := reflect.ValueOf(map[string]int{"a": 1, "b": 2}).MapKeys()
	if keys[0].String() == "b" {
		panic("b") // want "panic"
	}
}
