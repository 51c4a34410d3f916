package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

type limits struct {
	Low  int
	High int64
	Each [2]int
}

type config struct {
	limits
	Limits limits
	Last   *limits
	First  *limits
	Names  map[string]bool
	Any    any
	List   []*limits
	None   chan int
	hidden int
}

// What a decoder or a scanner may write is not known any more; what it cannot, is.
func main() {
	c := config{Limits: limits{Low: 2}, First: &limits{}, hidden: 1}
	first := c.First
	json.Unmarshal([]byte(`{"High": 3, "Limits": {"Low": 1, "High": 2, "Each": [3, 4]}, "Last": {}, "Names": {}, "Any": 1, "List": [{}, {}]}`), &c)
	which := make(chan int, 1)
	select {
	case which <- 0:
	case which <- 1:
	case which <- 2:
	case which <- 3:
	case which <- 4:
	case which <- 5:
	case which <- 6:
	case which <- 7:
	case which <- 8:
	case which <- 9:
	}
	var word string
	var n, other int
	fmt.Sscanf("5 a", "%d %s", &n, &word)
	dec := json.NewDecoder(strings.NewReader("6"))
	dec.Decode(&other)
	switch w := <-which; {
	case c.hidden != 1 || c.None != nil || c.First != first:
		panic("it does not write that")
	case w == 0 && c.Limits.Low == 1:
		<-which // want "deadlock"
	case w == 1 && c.Limits.High == 2:
		<-which // want "deadlock"
	case w == 2 && c.Limits.Each[1] == 4:
		<-which // want "deadlock"
	case w == 3 && c.High == 3:
		<-which // want "deadlock"
	case w == 4 && c.Last != nil:
		<-which // want "deadlock"
	case w == 5 && c.Names != nil:
		<-which // want "deadlock"
	case w == 6 && c.Any != nil:
		<-which // want "deadlock"
	case w == 7 && n == 5 && word == "a":
		<-which // want "deadlock"
	case w == 8 && other == 6:
		<-which // want "deadlock"
	case w == 9 && len(c.List) == 2:
		<-which // want "deadlock"
	}
}
