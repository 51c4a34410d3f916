package left

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/vtrace/vtrace/internal/frames"
	"github.com/vtrace/vtrace/internal/parse"
	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/source"
)

// leaving is a program with what the questions of this package are about.
var leaving = map[string]string{
	"go.mod": "module example.com/m\n\ngo 1.26\n",
	"m.go": `package m

import (
	"context"
	"sync"
)

type Service struct {
	work chan int
	stop chan struct{}
	done sync.WaitGroup
}

var shared = &Service{work: make(chan int), stop: make(chan struct{})}

func (s *Service) Start(ctx context.Context) {
	s.done.Add(1)
	go func() {
		defer s.done.Done()
		for {
			select {
			case <-s.work:
			case <-s.stop:
				return
			case <-ctx.Done():
				return
			}
		}
	}()
}

func (s *Service) Stop() { close(s.stop) }

func (s *Service) Wait() { s.done.Wait() }

func drain[T any](c chan T) {
	for range c {
	}
}
`,
	"m_test.go": `package m

import (
	"sync"
	"testing"
)

func TestLeaves(t *testing.T) {
	shared.Start(t.Context())
	go drain(shared.work)
	c := sync.NewCond(new(sync.Mutex))
	go func() {
		c.L.Lock()
		for {
			c.Wait()
		}
	}()
	go func() {
		<-shared.stop
		t.Error("stopped")
	}()
	shared.Wait()
}
`,
}

// loadLeaving prepares that program.
func loadLeaving(t testing.TB) *Program {
	t.Helper()
	dir := t.TempDir()
	for name, text := range leaving {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	src, err := source.Load(t.Context(), source.Spec{Dir: dir, Pattern: ".", Entry: "TestLeaves"})
	require.NoError(t, err)
	prog, _ := ssautil.Packages(src.Packages, ssa.InstantiateGenerics|ssa.GlobalDebug)
	prog.Build()
	return New(frames.New(src, prog), parse.Index(src))
}

// What a run says of its goroutines is text that the program may have made up: it names
// functions and lines of the program, or nothing.
func FuzzStacks(f *testing.F) {
	p := loadLeaving(f)
	worker := Goroutine{Site: 10, Stack: []string{"example.com/m.(*Service).Start.func1 m.go:21"}, Created: [][]string{{"example.com/m.(*Service).Start m.go:18", "example.com/m.TestLeaves m_test.go:9"}}}
	require.Equal(f, "package-level variable shared", p.Worker(worker))
	f.Add(10, false, worker.Stack[0], strings.Join(worker.Created[0], "\n"))
	f.Add(18, false, "example.com/m.drain[...] m.go:37", "example.com/m.TestLeaves m_test.go:10")
	f.Add(31, true, "example.com/m.TestLeaves.func1 m_test.go:15", "example.com/m.TestLeaves m_test.go:12")
	f.Add(36, false, "example.com/m.TestLeaves.func2 m_test.go:19", "example.com/m.TestLeaves m_test.go:18\n\nx y:1")
	f.Add(16, false, "sync.(*WaitGroup).Wait waitgroup.go:1\nexample.com/m.(*Service).Wait m.go:34", "example.com/m.TestLeaves m_test.go:22\n\n")
	f.Add(1<<30, true, "example.com/m.init m.go:13\n. .:-1\n .go:9999999999999999999", "")
	lines := map[string]int{}
	for name, text := range leaving {
		lines[name] = strings.Count(text, "\n")
	}
	f.Fuzz(func(t *testing.T, site int, null bool, stack, created string) {
		g := Goroutine{Site: sites.ID(site), Nil: null, Stack: strings.Split(stack, "\n")}
		for _, text := range strings.Split(created, "\n\n") {
			g.Created = append(g.Created, strings.Split(text, "\n"))
		}
		for _, all := range append([][]string{g.Stack}, g.Created...) {
			calls := p.Resolve(all)
			require.LessOrEqual(t, len(calls), len(all))
			for _, frame := range calls {
				at := p.Source.Fset.PositionFor(frame.Fn.Pos(), false)
				name := filepath.Base(at.Filename)
				require.Contains(t, lines, name)
				require.GreaterOrEqual(t, frame.Line, at.Line)
				require.LessOrEqual(t, frame.Line, lines[name])
			}
		}
		of, watches := p.Worker(g), p.Watcher(g)
		holder, group := p.Waits(g)
		if len(p.Resolve(g.Stack)) == 0 {
			require.Empty(t, of)
			require.False(t, watches)
			require.Empty(t, holder)
			require.Nil(t, group)
			require.False(t, p.IsOf(g, group))
		}
		require.Equal(t, of, p.Worker(g))
		require.Equal(t, watches, p.Watcher(g))
		if group != nil {
			p.IsOf(g, group)
		}
	})
}
