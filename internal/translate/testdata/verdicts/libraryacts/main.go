package main

import (
	"fmt"
	"net/http"
	"os"
	"reflect"
	"strings"
	"sync"
	"text/template"
)

type handler func() int

type counter struct {
	mu sync.Mutex
	n  int
}

func (c *counter) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return "n"
}

func (c *counter) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(p), nil
}

func act() int { return <-make(chan int) }

func plain(r rune) rune { return r }

// What is passed to the library can be used by it: of these the model says so.
func main() {
	c := &counter{}
	ch := make(chan int, 1)
	var h handler = act
	fmt.Fprintln(os.Stdout, c)                               // under "unknown-call"
	fmt.Fprint(c, "a")                                       // under "unknown-call"
	reflect.ValueOf(ch).Send(reflect.ValueOf(1))             // under "unknown-call"
	reflect.ValueOf(h).IsNil()                               // under "unknown-call"
	reflect.ValueOf(act).IsNil()                             // under "unknown-call"
	template.New("a").Funcs(template.FuncMap{"act": act})    // under "unknown-call"
	http.NewServeMux().Handle("/a", http.HandlerFunc(serve)) // under "unknown-call"
	strings.Map(plain, "a")
	fmt.Sprint(len(ch), c.n)
	<-ch // unreal "deadlock"
	<-ch // missed "deadlock"
}

func serve(http.ResponseWriter, *http.Request) { act() }
