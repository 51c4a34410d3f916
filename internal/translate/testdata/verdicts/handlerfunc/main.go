package main

import (
	"net/http"
	"sync"
)

// limit serves one request at a time; one that panics keeps the slot.
func limit(next http.Handler) http.Handler {
	slot := make(chan struct{}, 1)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		slot <- struct{}{}
		next.ServeHTTP(w, r)
		<-slot
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
	wg.Wait() // want "deadlock"
}
