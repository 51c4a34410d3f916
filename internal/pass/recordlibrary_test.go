package pass

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/analyze"
	"github.com/vtrace/vtrace/internal/programs"
)

// orderedByLibrary are tests in which the standard library orders two writes, and two in which it does not.
const orderedByLibrary = `package p

import (
	"context"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"
	"time"
)

func ends(n *int, wait func()) (end chan bool) {
	end = make(chan bool)
	go func() {
		wait()
		*n++
		close(end)
	}()
	return end
}

// The context is cancelled before somebody asks for its channel.
func TestCancelled(t *testing.T) {
	n := 0
	ctx, cancel := context.WithCancel(context.Background())
	first := make(chan bool)
	end := ends(&n, func() { <-first; <-ctx.Done() })
	go func() { first <- true }()
	n++
	cancel()
	<-end
}

func TestChild(t *testing.T) {
	n := 0
	ctx, cancel := context.WithCancel(context.Background())
	sub, end := context.WithTimeout(ctx, time.Hour)
	defer end()
	done := ends(&n, func() {
		select {
		case <-sub.Done():
		}
	})
	n++
	cancel()
	<-done
}

func TestErr(t *testing.T) {
	n := 0
	ctx, cancel := context.WithCancel(context.Background())
	end := ends(&n, func() {
		for ctx.Err() == nil {
			time.Sleep(time.Millisecond)
		}
	})
	n++
	cancel()
	<-end
}

func TestAfter(t *testing.T) {
	n := 0
	ctx, cancel := context.WithCancel(context.Background())
	end := make(chan bool)
	context.AfterFunc(ctx, func() { n++; close(end) })
	n++
	cancel()
	<-end
}

func TestPipe(t *testing.T) {
	n := 0
	r, w := io.Pipe()
	end := ends(&n, func() { r.Read(make([]byte, 1)) })
	n++
	w.Write([]byte{1})
	<-end
}

func TestFiles(t *testing.T) {
	n := 0
	r, w, _ := os.Pipe()
	end := ends(&n, func() { r.Read(make([]byte, 1)) })
	n++
	w.Write([]byte{1})
	<-end
}

func TestMap(t *testing.T) {
	n := 0
	var m sync.Map
	end := ends(&n, func() {
		for {
			if _, ok := m.Load(1); ok {
				return
			}
			time.Sleep(time.Millisecond)
		}
	})
	n++
	m.Store(1, 1)
	<-end
}

// What a goroutine of the library calls back comes between what the library does.
func TestServer(t *testing.T) {
	n := 0
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { n++ }))
	defer s.Close()
	for range 2 {
		n++
		if r, err := http.Get(s.URL); err == nil {
			r.Body.Close()
		}
	}
	n++
}

// A value of a pool is one goroutine's at a time.
func TestPool(t *testing.T) {
	pool := sync.Pool{New: func() any { return new(int) }}
	end := make(chan bool)
	for range 2 {
		go func() {
			for range 100 {
				n := pool.Get().(*int)
				*n++
				pool.Put(n)
			}
			end <- true
		}()
	}
	<-end
	<-end
}

// The two calls come behind the writes.
func TestRacing(t *testing.T) {
	n := 0
	end := ends(&n, func() {})
	n++
	log.Print("here")
	<-end
	log.Print("there")
}

// The recorded order of the calls is luck.
func TestLucky(t *testing.T) {
	n := 0
	r, w, _ := os.Pipe()
	end := ends(&n, func() { r.Read(make([]byte, 1)); log.Print("second") })
	n++
	log.Print("first")
	w.Write([]byte{1})
	<-end
}
`

// TestRecordLibrary: what code that is not instrumented may have ordered is no error of an analysis, but it may be looked for.
func TestRecordLibrary(t *testing.T) {
	if testing.Short() {
		t.Skip("the programs record themselves")
	}
	t.Parallel()
	spec := programs.Write(t, "1.26", "p_test.go", orderedByLibrary, "")
	for test, want := range map[string]analyze.Level{
		"TestCancelled": "", "TestChild": "", "TestPool": "", "TestAfter": "", "TestErr": "",
		"TestPipe": analyze.Warning, "TestFiles": analyze.Warning,
		"TestMap": analyze.Warning, "TestServer": analyze.Warning, "TestLucky": analyze.Warning, "TestRacing": analyze.Error,
	} {
		if few := []string{"TestCancelled", "TestPipe", "TestServer", "TestLucky", "TestRacing"}; !*everyRow && !slices.Contains(few, test) {
			continue
		}
		spec.Entry = test
		tr, _ := recordedTrace(t, spec, Recording{Accesses: true})
		res, predictions, err := analyze.Predict(tr, analyze.Limits{})
		require.NoError(t, err, test)
		var got analyze.Level
		for _, f := range res.Findings {
			if f.Code == analyze.Race {
				require.Equal(t, f.Level == analyze.Warning, f.Unless != "", "%s: %+v", test, f)
				got = f.Level
			}
		}
		require.Equal(t, want, got, "%s: %v", test, res.Findings)
		looked := false
		for _, p := range predictions {
			looked = looked || p.Finding != nil && p.Finding.Code == analyze.Race
		}
		require.Equal(t, want != "", looked, test)
	}
}
