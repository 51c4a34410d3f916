package main

import (
	"fmt"
	"path"
	"strconv"
	"strings"
)

// The texts come out of a channel.
func text(s string) string {
	c := make(chan string, 1)
	c <- s
	return <-c
}

// Everything is computed with texts that the model computes.
func main() {
	a, n, yes := text("a-b-a"), len(text("12345")), text("x") == "x"
	before, after, found := strings.Cut(a, "-")
	_, _, never := strings.Cut(a, "c")
	for i, ok := range []bool{
		strings.HasPrefix(a, "a-") && !strings.HasPrefix(a, "-a"),
		strings.HasSuffix(a, "-a") && !strings.HasSuffix(a, "a-"),
		strings.Contains(a, "b-a") && !strings.Contains(a, "ba"),
		strings.ContainsAny(a, "xb") && !strings.ContainsAny(a, "xy"),
		strings.EqualFold(a, "A-B-A") && !strings.EqualFold(a, "A-B"),
		strings.Index(a, "a") == 0 && strings.Index(a, "c") == -1,
		strings.LastIndex(a, "a") == 4,
		strings.Count(a, "a") == 2,
		strings.Compare(a, "b") == -1 && strings.Compare(a, "a") == 1,
		strings.TrimPrefix(a, "a") == "-b-a",
		strings.TrimSuffix(a, "a") == "a-b-",
		strings.Trim(a, "a") == "-b-",
		strings.TrimLeft(a, "a-") == "b-a",
		strings.TrimRight(a, "a-") == "a-b",
		strings.TrimSpace(text(" a ")) == "a",
		strings.ToUpper(a) == "A-B-A",
		strings.ToLower(text("A")) == "a",
		path.Base(text("d/f.go")) == "f.go",
		path.Dir(text("d/f.go")) == "d",
		path.Ext(text("d/f.go")) == ".go",
		strconv.Quote(a) == `"a-b-a"`,
		strconv.Itoa(n) == "5",
		strings.ReplaceAll(a, "-", "+") == "a+b+a",
		before == "a" && after == "b-a" && found && !never,
		fmt.Sprint(a, n, yes) == "a-b-a5 true",
		fmt.Sprint() == "",
		fmt.Sprintln(a, n) == "a-b-a 5\n",
		fmt.Sprintf("%s:%d:%t", a, n, yes) == "a-b-a:5:true",
		a+"c" == "a-b-ac",
		a < "b" && !(a < a) && !(a < "a"),
		a <= "b" && a <= a && !(a <= "a"),
		a > "a" && !(a > a) && !(a > "b"),
		a >= "a" && a >= a && !(a >= "b"),
	} {
		if !ok {
			panic(i)
		}
	}
	<-make(chan int) // want "deadlock"
}
