package main

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync"
)

// Names are made, compared and sorted; which lock comes first depends on them.
func main() {
	locks := map[string]*sync.Mutex{}
	var names []string
	for i := 1; i >= 0; i-- {
		name := fmt.Sprintf("Node-%d", i)
		names = append(names, strings.ToLower(name))
	}
	for _, n := range names {
		locks[n] = &sync.Mutex{}
	}
	sort.Strings(names)
	slices.Reverse(names) // node-1 first
	slices.Sort(names)
	names = append(names, "node-2")
	locks["node-2"] = &sync.Mutex{}
	slices.Reverse(names[1:])
	if names[1] != "node-2" || names[2] != "node-1" {
		<-make(chan int) // never
	}
	done := make(chan bool)
	go func() {
		for _, n := range names {
			locks[n].Lock()
			defer locks[n].Unlock()
		}
		done <- true
	}()
	first := names[0]
	if strings.HasSuffix(first, "-0") && len(first) == 6 && first < names[1] {
		first = names[1]
	}
	locks[first].Lock()    // want "deadlock"
	locks["node-0"].Lock() // want "deadlock"
	locks["node-0"].Unlock()
	locks[first].Unlock()
	<-done
}
