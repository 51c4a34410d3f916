package main

import (
	"net/http"
	"sync"
)

// limit serves one request at a time, and gives the slot back in any case.
func limit(next http.Handler) http.Handler {
	slot := make(chan struct{}, 1)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		slot <- struct{}{}
		defer func() { <-slot }()
		next.ServeHTTP(w, r)
	})
}

func recovering(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() { recover() }()
		next.ServeHTTP(w, r)
	})
}

func main() {
	h := recovering(limit(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r == nil {
			panic("no request")
		}
	})))
	var wg sync.WaitGroup
	for _, r := range []*http.Request{nil, {}} {
		wg.Add(1)
		go func() {
			defer wg.Done()
			h.ServeHTTP(nil, r)
		}()
	}
	wg.Wait()
}

// Without an interface, deferred, as a goroutine and as a value.
func init() {
	c := make(chan int, 3)
	f := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { c <- 1 })
	go f.ServeHTTP(nil, nil)
	serve := f.ServeHTTP
	serve(nil, nil)
	func() { defer f.ServeHTTP(nil, nil) }()
	for range 3 {
		<-c
	}
	defer func() { recover() }()
	http.HandlerFunc(nil).ServeHTTP(nil, nil)
	<-c
}
