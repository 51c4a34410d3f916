// A template calls a function that it has been given in a map.
package main

import (
	"io"
	"sync"
	"text/template"
)

type site struct {
	mu    sync.Mutex
	title string
}

func (s *site) setTitle(v string) string {
	s.mu.Lock() // missed "deadlock"
	defer s.mu.Unlock()
	s.title = v
	return v
}

func main() {
	s := &site{}
	t := template.New("p").Funcs(template.FuncMap{"title": s.setTitle}) // under "unknown-call"
	t = template.Must(t.Parse(`{{title "home"}}: welcome`))
	s.mu.Lock()
	defer s.mu.Unlock()
	t.Execute(io.Discard, nil)
}
