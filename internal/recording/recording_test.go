package recording

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/trace"
)

// events is how many events TestMemory reads:
//
//	go test ./internal/recording -run TestMemory -recording.events 10000000 -v
var events = flag.Int("recording.events", 300_000, "events of the recording that is read with bounded memory")

// everything has each kind of event.
const everything = `trace 1
program example.com/p.main
chan x 0 @main.go:3:7(p.main,p.main#1)
chan y 2
mutex m
rwmutex r
waitgroup w
once o
cond c
atomic a
var v
goroutine 1
  go 2 @main.go:9
  send x
  recv nil pending
goroutine 2 of 1
  recv x from 1.2
  recv x closed
  send x panicked
  select recv x, send y, default : 1 from 1.2 @main.go:1:1
  select recv x, default : default
  select recv x, send y : 0 closed
  close x
  lock m first
  unlock m
  lock m from 2.9
  trylock m failed
  rlock r
  runlock r
  tryrlock r
  add w +2 = 2 seq 1
  add w -1 = -1
  wait w pending
  once o pending
  load a from 2.19 seq 1
  post 18 ran seq 70000
  store a seq 2
  rmw a
  signal c
  broadcast c
  condwait c pending
  unlock m
  post 24 from 2.22
  lock m
  read v
  write v
  end panicked
`

// parsed is the trace of a text without the names, which are not kept, and with the positions of cases
// that recordings have.
func parsed(t testing.TB, text string) *trace.Trace {
	t.Helper()
	tr, err := trace.Parse([]byte(text))
	require.NoError(t, err)
	for i := range tr.Objects {
		tr.Objects[i].Name, tr.Objects[i].Pos = "", 0
	}
	for i := range tr.Goroutines {
		g := &tr.Goroutines[i]
		g.Name, g.Truncated, g.Path = "", false, ""
		for j := range g.Events {
			for k := range g.Events[j].Cases {
				g.Events[j].Cases[k].Pos = g.Events[j].Pos
			}
		}
	}
	name(tr)
	return tr
}

func written(t testing.TB, tr *trace.Trace) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, Write(&b, tr, Header{Tool: "test"}))
	return b.Bytes()
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	want := parsed(t, everything)
	data := written(t, want)
	got, h, err := Load(bytes.NewReader(data), 0)
	require.NoError(t, err)
	require.Equal(t, "test", h.Tool)
	require.Equal(t, "example.com/p.main", h.Program)
	var a, b bytes.Buffer
	require.NoError(t, trace.Format(&a, want))
	require.NoError(t, trace.Format(&b, got))
	require.Equal(t, a.String(), b.String())
	require.Equal(t, data, written(t, got), "the same trace is the same recording")
}

// Memory has the names that the program has for it, and its number behind one that several have. A recording that names
// what there is not, or by a text that is no expression any more, has none.
func TestMemoryNames(t *testing.T) {
	t.Parallel()
	tr := parsed(t, "trace 1\nvar a\nvar b\nvar c\nvar d\nmutex m\ngoroutine 1\n  write a\n  read b\n  write c\n  read d\n  lock m\n")
	for i, name := range []string{"s.total", "n", "", "n", "m is told by its kind"} {
		tr.Objects[i].Name = name
	}
	names := func(data []byte) (out []string) {
		got, _, err := Load(bytes.NewReader(data), 0)
		require.NoError(t, err)
		for i := range got.Objects {
			out = append(out, got.ObjectName(trace.ObjectID(i+1)))
		}
		return out
	}
	data := written(t, tr)
	require.Equal(t, []string{"s.total", "n#2", "var3", "n#4", "mutex5"}, names(data))
	got, h, err := Load(bytes.NewReader(data), 0)
	require.NoError(t, err)
	require.Equal(t, []string{"s.total", "n", "n"}, h.Names)
	require.Equal(t, []string{"s.total", "n#2", "var3", "n#4", "mutex5"}, names(written(t, got)))

	tr.Objects[0].Name, tr.Objects[1].Name = strings.Repeat("n", maxName+1), strings.Repeat("n", maxName)
	require.Equal(t, []string{"var1", tr.Objects[1].Name, "var3", "n", "mutex5"}, names(written(t, tr)))
	var none bytes.Buffer
	w, err := begin(&none, Header{Names: []string{"n"}})
	require.NoError(t, err)
	require.NoError(t, w.chunk(&chunk{goroutine: 1, payload: []byte{recObject | kindNamed, 1, 2, recObject | kindNamed, 2, 0}}))
	require.NoError(t, w.close(false))
	require.Equal(t, []string{"var1", "var2"}, names(none.Bytes()))
}

// Every operation and kind of object of a trace has a number, and no two the same: numbers are for ever.
func TestNumbers(t *testing.T) {
	t.Parallel()
	seen := map[byte]bool{}
	for op := trace.OpSend; op.String() != "none"; op++ {
		n := number(operations[:], op)
		require.NotZero(t, n, op)
		require.Less(t, n, recPost)
		require.False(t, seen[n], op)
		seen[n] = true
	}
	require.Len(t, seen, len(operations)-1)
	seen = map[byte]bool{}
	for k := trace.Chan; k.String() != "none"; k++ {
		n := number(objectKinds[:], k)
		require.NotZero(t, n, k)
		require.False(t, seen[n], k)
		seen[n] = true
	}
	require.Len(t, seen, len(objectKinds)-2) // memory has two
}

// raw is a file as a program leaves it.
type raw struct{ data []byte }

func newRaw() *raw {
	r := &raw{make([]byte, rawHeader)}
	copy(r.data, rawMagic)
	return r
}

// chunk adds a chunk with some room behind what is used.
func (r *raw) chunk(goroutine, number, creator, pc uint32, payload []byte) *raw {
	size := (rawChunk + len(payload) + 40) &^ 7
	b := make([]byte, size)
	for i, v := range []uint32{uint32(size), uint32(len(payload)), goroutine, number, creator, pc} {
		binary.LittleEndian.PutUint32(b[4*i:], v)
	}
	copy(b[rawChunk:], payload)
	r.data = append(r.data, b...)
	return r
}

// pad fills the region with zeros.
func (r *raw) pad() *raw {
	r.data = append(r.data, make([]byte, rawRegion-len(r.data)%rawRegion)...)
	return r
}

func payloadOf(events ...trace.Event) []byte {
	var b []byte
	for i := range events {
		b = appendEvent(b, &events[i])
	}
	return b
}

func converted(t testing.TB, r *raw) *trace.Trace {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, Convert(&b, Header{}, bytes.NewReader(r.data)))
	var piped bytes.Buffer // what cannot be skipped is read
	require.NoError(t, Convert(&piped, Header{}, struct{ io.Reader }{bytes.NewReader(r.data)}))
	require.Equal(t, b.Bytes(), piped.Bytes())
	tr, _, err := Load(&b, 0)
	require.NoError(t, err)
	return tr
}

// What the last records do not say any more, since the program was killed, others know: a goroutine
// that uninstrumented code has started, and a channel that it has closed. Chunks come in the order
// of each goroutine, over several regions.
func TestConvert(t *testing.T) {
	t.Parallel()
	send := trace.Event{Phase: trace.Whole, Op: trace.OpSend, Object: 1}
	r := newRaw().
		chunk(1, 0, 0, 0, payloadOf(send)).
		chunk(2, 0, 1, 3, payloadOf(trace.Event{Phase: trace.Whole, Op: trace.OpRecv, Object: 1, Flags: trace.Closed, Partner: trace.Ref{Goroutine: 1, PC: 4}},
			trace.Event{Phase: trace.Whole, Op: trace.OpRecv, Object: 1, Partner: trace.Ref{Goroutine: 1, PC: 9}})).
		pad().
		chunk(0, 0, 0, 0, nil). // nobody has it
		chunk(1, 1, 0, 0, payloadOf(trace.Event{Phase: trace.Pre, Op: trace.OpSend, Object: 1})[:3])
	tr := converted(t, r)
	var b strings.Builder
	require.NoError(t, trace.Format(&b, tr))
	require.Equal(t, `trace 1
chan chan1 0
goroutine 1 path 0
  send chan1
  send chan1 pending
  go 2
  close chan1
goroutine 2 of 1 path 0.1
  recv chan1 closed from 1.4
  recv chan1
`, b.String())
}

// A recording that was cut says so of every goroutine that had not ended.
func TestCut(t *testing.T) {
	t.Parallel()
	r := newRaw().chunk(1, 0, 0, 0, payloadOf(trace.Event{Phase: trace.Whole, Op: trace.OpSend})).chunk(2, 0, 0, 0, payloadOf(trace.Event{Phase: trace.Whole, Op: trace.OpEnd}))
	binary.LittleEndian.PutUint32(r.data[len(rawMagic):], rawFull)
	tr := converted(t, r)
	require.True(t, tr.Goroutines[0].Truncated)
	require.False(t, tr.Goroutines[1].Truncated)
}

// frame is a recording with given records.
func frame(t testing.TB, records []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	b.WriteString(magic)
	b.WriteByte(Version)
	z, err := zstd.NewWriter(&b)
	require.NoError(t, err)
	_, err = z.Write(records)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	return b.Bytes()
}

const emptyHeader = "H\x02{}"

func uvarints(values ...uint64) string {
	var b []byte
	for _, v := range values {
		b = binary.AppendUvarint(b, v)
	}
	return string(b)
}

// What somebody else has written is refused by name, and takes no memory that it only claims to need.
func TestRefused(t *testing.T) {
	t.Parallel()
	good := written(t, parsed(t, everything))
	chunkOf := func(payload string) string {
		return emptyHeader + "C" + uvarints(1, 0, 0, 0, uint64(len(payload))) + payload + "E\x01\x00"
	}
	for name, test := range map[string]struct {
		data []byte
		want string
	}{
		"nothing":           {nil, "it is none"},
		"another file":      {[]byte("PK\x03\x04 and so on and on and on"), "it is none"},
		"cut":               {good[:len(good)-12], "no header"},
		"no frame":          {good[:len(magic)+1], "no header"},
		"no header":         {frame(t, []byte("E\x00\x00")), "no header"},
		"header, no JSON":   {frame(t, []byte("H\x01{")), "its header"},
		"header too long":   {frame(t, []byte("H"+uvarints(1<<40))), "too long"},
		"no end":            {frame(t, []byte(emptyHeader)), "no end"},
		"chunks missing":    {frame(t, []byte(emptyHeader+"E\x01\x00")), "chunks are missing"},
		"more":              {frame(t, []byte(emptyHeader+"E\x00\x00X")), "something follows"},
		"unknown record":    {frame(t, []byte(emptyHeader+"Z")), "kind"},
		"goroutine 0":       {frame(t, []byte(emptyHeader+"C"+uvarints(0, 0, 0, 0, 0))), "no such goroutine"},
		"second chunk":      {frame(t, []byte(emptyHeader+"C"+uvarints(1, 1, 0))), "too early"},
		"long chunk":        {frame(t, []byte(emptyHeader+"C"+uvarints(1, 0, 0, 0, 1<<40))), "too long"},
		"lying chunk":       {frame(t, []byte(emptyHeader+"C"+uvarints(1, 0, 0, 0, maxChunk))), "cut"},
		"number":            {frame(t, []byte(chunkOf("\x3f"))), "no operation"},
		"post alone":        {frame(t, []byte(chunkOf("\x40"))), "has not begun"},
		"default of a send": {frame(t, []byte(chunkOf("\x81\x00\x00"))), "no operation"},
		"cases":             {frame(t, []byte(chunkOf("\x03\x00"+uvarints(1<<30)))), "cut, or"},
		"object":            {frame(t, []byte(chunkOf("\xc9\x01"))), "no such object"},
		"object twice":      {frame(t, []byte(chunkOf("\xc2\x01\xc2\x01"))), "twice"},
		"kind of object":    {frame(t, []byte(chunkOf("\xc2\x01\x01\x00\x01"))), "not for a mutex"},
		"case taken":        {frame(t, []byte(chunkOf("\x03\x00\x01\x03\x40\x06"))), "a case"},
		"after the end":     {frame(t, []byte(chunkOf("\x06\x06"))), "after its end"},
		"no child":          {frame(t, []byte(chunkOf("\x05\x00\x00"))), "number 0"},
		"own child":         {frame(t, []byte(chunkOf("\x05\x00\x01"))), "started before"},
		"no goroutine":      {frame(t, []byte(emptyHeader+"E\x00\x00")), "no goroutine"},
		"nesting":           {frame(t, []byte(chunkOf(strings.Repeat("\x01\x00\x00", maxNesting+1)))), "too many"},
	} {
		_, _, err := Load(bytes.NewReader(test.data), 0)
		var c *CorruptError
		require.ErrorAs(t, err, &c, name)
		require.ErrorContains(t, err, test.want, name)
	}
	good[len(magic)] = Version + 1
	_, _, err := Load(bytes.NewReader(good), 0)
	var v *VersionError
	require.ErrorAs(t, err, &v)
	require.Equal(t, Version+1, v.Version)
	good[len(magic)] = Version
	_, _, err = Load(bytes.NewReader(good), 5)
	var l *LimitError
	require.ErrorAs(t, err, &l)
}

// The file that a program leaves may be anything, too.
func TestRawRefused(t *testing.T) {
	t.Parallel()
	odd := newRaw().chunk(1, 0, 0, 0, nil)
	odd.data[rawHeader] = 44
	used := newRaw().chunk(1, 0, 0, 0, nil)
	binary.LittleEndian.PutUint32(used.data[rawHeader+4:], math.MaxUint32)
	for name, r := range map[string]*raw{"empty": {}, "short": {[]byte(rawMagic)}, "another": {make([]byte, 100)}, "odd": odd, "used": used} {
		var c *CorruptError
		require.ErrorAs(t, Convert(io.Discard, Header{}, bytes.NewReader(r.data)), &c, name)
	}
}

// Errors of the writer and the visitor come back.
func TestErrors(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	r := newRaw()
	for range 100 {
		r.chunk(1, uint32(len(r.data)), 0, 0, make([]byte, 1<<16))
	}
	require.ErrorIs(t, Convert(failing{broken}, Header{}, bytes.NewReader(r.data)), broken)
	in, err := NewReader(bytes.NewReader(written(t, parsed(t, everything))))
	require.NoError(t, err)
	defer in.Close()
	require.ErrorIs(t, in.Read(Visitor{Event: func(uint64, *Event) error { return broken }}), broken)
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// many is a recording of so many events, as a stream.
func many(t testing.TB, n int) io.Reader {
	r, w := io.Pipe()
	go func() {
		out, err := begin(w, Header{})
		if err == nil {
			e := payloadOf(trace.Event{Phase: trace.Whole, Op: trace.OpRecv, Object: 3, Pos: 200, Partner: trace.Ref{Goroutine: 2, PC: 70_000}})
			var c chunk
			for left := n / 2; left > 0 && err == nil; {
				k := min(left, 5000)
				left -= k
				c.goroutine = 1
				c.payload = bytes.Repeat(e, k)
				err = out.chunk(&c)
				c.number++
			}
			if err == nil {
				err = out.close(false)
			}
		}
		w.CloseWithError(err)
	}()
	return r
}

// However long a recording is, to read it as a stream takes little memory.
func TestMemory(t *testing.T) {
	in, err := NewReader(many(t, *events))
	require.NoError(t, err)
	defer in.Close()
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	n, most := 0, uint64(0)
	require.NoError(t, in.Read(Visitor{Event: func(uint64, *Event) error {
		if n++; n%100_000 == 0 {
			runtime.GC()
			runtime.ReadMemStats(&now)
			most = max(most, now.HeapAlloc)
		}
		return nil
	}}))
	require.Equal(t, *events, n)
	t.Logf("%d events: the heap has grown by %d KiB at most", n, (int64(most)-int64(before.HeapAlloc))>>10)
	require.Less(t, most, before.HeapAlloc+16<<20)
}

// listed: the documentation has the error.
func listed(err error) bool {
	var (
		c *CorruptError
		v *VersionError
		l *LimitError
	)
	return errors.As(err, &c) || errors.As(err, &v) || errors.As(err, &l)
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// loads is what a fuzz target asks of records: a valid trace, which can be written and read again, or an
// error that is listed.
func loads(t *testing.T, records []byte) {
	in, err := newReader(bytes.NewReader(records))
	var tr *trace.Trace
	if err == nil {
		tr, err = in.load(100_000)
	}
	if err != nil {
		require.True(t, listed(err), "%T %v", err, err)
		return
	}
	var a, b, rewritten bytes.Buffer
	out, err := newWriter(nopCloser{&rewritten}, headerOf(tr, Header{}))
	require.NoError(t, err)
	require.NoError(t, out.trace(tr))
	in, err = newReader(&rewritten)
	require.NoError(t, err)
	again, err := in.load(MaxEvents)
	require.NoError(t, err)
	for i := range tr.Goroutines {
		tr.Goroutines[i].Truncated, again.Goroutines[i].Truncated = false, false
	}
	require.NoError(t, trace.Format(&a, tr))
	require.NoError(t, trace.Format(&b, again))
	require.Equal(t, a.String(), b.String())
}

func FuzzLoad(f *testing.F) {
	f.Add(written(f, parsed(f, everything)))
	f.Add(frame(f, []byte(emptyHeader+"E\x00\x00")))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _, err := Load(bytes.NewReader(data), 100_000)
		require.True(t, err == nil || listed(err), "%T %v", err, err)
	})
}

// FuzzStream is FuzzLoad behind the compression.
func FuzzStream(f *testing.F) {
	data := written(f, parsed(f, everything))
	z, err := zstd.NewReader(bytes.NewReader(data[len(magic)+1:]))
	require.NoError(f, err)
	records, err := io.ReadAll(z)
	require.NoError(f, err)
	f.Add(records)
	f.Fuzz(loads)
}

func FuzzConvert(f *testing.F) {
	f.Add(newRaw().chunk(1, 0, 0, 0, payloadOf(parsed(f, everything).Goroutines[1].Events...)).chunk(2, 0, 1, 1, nil).data)
	f.Fuzz(func(t *testing.T, data []byte) {
		var b bytes.Buffer
		var c *CorruptError
		out, err := newWriter(nopCloser{&b}, Header{})
		require.NoError(t, err)
		if err := out.convert(bytes.NewReader(data)); err != nil {
			require.ErrorAs(t, err, &c)
			return
		}
		loads(t, b.Bytes())
	})
}
