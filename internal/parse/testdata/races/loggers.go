package races

import (
	"bytes"
	"context"
	"io"
	"log"
	"log/slog"
)

// Loggers of the standard library, which write to what they were given under locks of their own.

func RacyLoggerAndRead() {
	var b bytes.Buffer
	l := log.New(&b, "", 0)
	both(func() { l.Print("a") }, func() { _ = b.String() })
}

func RacyTwoPlainLoggers() {
	var b bytes.Buffer
	x, y := log.New(&b, "", 0), log.New(&b, "", 0)
	both(func() { x.Print("a") }, func() { y.Print("b") })
}

func RacySetOutput() {
	var b bytes.Buffer
	x, y := log.New(io.Discard, "", 0), log.New(io.Discard, "", 0)
	x.SetOutput(&b)
	y.SetOutput(&b)
	both(func() { x.Print("a") }, func() { y.Print("b") })
}

func RacyTwoHandlers() {
	var b bytes.Buffer
	x, y := slog.New(slog.NewTextHandler(&b, nil)), slog.New(slog.NewJSONHandler(&b, nil))
	both(func() { x.Info("a") }, func() { y.Info("b") })
}

func RacyHandlerAndLogger() {
	var b bytes.Buffer
	x, y := slog.New(slog.NewTextHandler(&b, nil)), log.New(io.MultiWriter(io.Discard, &b), "", 0)
	both(func() { x.Info("a", "k", 1) }, func() { y.Printf("%d", 1) })
}

func RacyStandardLogger() {
	var b bytes.Buffer
	old := log.Writer()
	log.SetOutput(&b)
	defer log.SetOutput(old)
	both(func() { log.Println("a") }, func() { b.Reset() })
}

func SafeLogger() {
	var b bytes.Buffer
	l := log.New(&b, "", 0)
	f := func() { l.Print("a") }
	both(f, f)
	_ = b.String()
}

func SafeStandardLogger() {
	var b bytes.Buffer
	old := log.Writer()
	log.SetOutput(&b)
	f := func() { log.Println("a") }
	both(f, f)
	log.SetOutput(old)
	_ = b.String()
}

// A logger that is made of another one has its lock.
func SafeLoggersOfOne() {
	var b bytes.Buffer
	x := slog.New(slog.NewTextHandler(&b, nil))
	y, z := x.With("a", 1), x.WithGroup("g")
	both(func() { y.Info("a") }, func() { z.Info("b") })
	x.Info(b.String())
}

// What a goroutine has done before it logs is behind what others do who log later.
func SafeBehindLogger() {
	var b bytes.Buffer
	l := log.New(&b, "", 0)
	n := 0
	done := make(chan bool, 1)
	go func() {
		n++
		l.Print("a")
		done <- true
	}()
	<-done
	l.Print(n)
}

func SafeLockedBuffer() {
	w := &lockedBuffer{Buffer: new(bytes.Buffer)}
	read := func() {
		w.Lock()
		defer w.Unlock()
		_ = w.String()
	}
	x, y := log.New(w, "", 0), slog.New(slog.NewTextHandler(w, nil))
	both(func() { x.Print("a"); read() }, func() { y.Info("b"); read() })
}

// The writer is one of the program, and changes without a lock.
type renamed struct{ out io.Writer }

func (n *renamed) Write(p []byte) (int, error) { return n.out.Write(p) }

func RacyOwnWriterIsSet() {
	n := &renamed{io.Discard}
	l := log.New(n, "", 0)
	both(func() { l.Print("a") }, func() { n.out = io.Discard })
}

type printer interface{ Print(...any) }

func RacyPrinters() {
	var b bytes.Buffer
	var x, y printer = log.New(&b, "", 0), log.New(&b, "", 0)
	both(func() { x.Print("a") }, func() { y.Print("b") })
}

func SafePrinter() {
	var b bytes.Buffer
	var l printer = log.New(&b, "", 0)
	f := func() { l.Print("a") }
	both(f, f)
	_ = b.Len()
}

type server struct {
	*log.Logger
	name string
}

func RacyServers() {
	var b bytes.Buffer
	x, y := &server{Logger: log.New(&b, "", 0)}, server{Logger: log.New(&b, "", 0), name: "y"}
	both(func() { x.Printf("%s", x.name) }, func() { y.Printf("%s", y.name) })
}

func SafeServers() {
	var b bytes.Buffer
	l := log.New(&b, "", 0)
	x, y := &server{Logger: l}, server{Logger: l}
	both(func() { x.Print("a") }, func() { y.Print("b") })
	_ = b.Len()
}

// Handlers of loggers that are in one interface with others.
func SafeHandlers() {
	var b bytes.Buffer
	var h slog.Handler = slog.NewTextHandler(&b, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr { return a }})
	x, y := slog.New(h), slog.New(h.WithAttrs([]slog.Attr{slog.Int("n", 1)}))
	both(func() { x.Info("a") }, func() { y.Warn("b") })
	_ = b.Len()
}

// A call that panics has written before, with the lock.
func SafePanics() {
	var b bytes.Buffer
	l := log.New(&b, "", 0)
	f := func() {
		defer func() { _ = recover() }()
		l.Panic("a")
	}
	both(f, f)
	_ = b.String()
}

// One sets another output, under the lock, and then uses the first one.
func SafeOldOutput() {
	var b bytes.Buffer
	l := log.New(&b, "", 0)
	both(func() { l.Print("a") }, func() {
		l.SetOutput(io.Discard)
		_ = b.String()
	})
}

func RacyLogLogger() {
	var b bytes.Buffer
	x, y := slog.NewLogLogger(slog.NewTextHandler(&b, nil), slog.LevelError), slog.New(slog.NewTextHandler(&b, nil))
	both(func() { x.Print("a") }, func() { y.Info("b") })
}

// countedHandler is a handler that counts what another one handles.
type countedHandler struct {
	slog.Handler
	n *int
}

func (h countedHandler) Handle(ctx context.Context, r slog.Record) error {
	*h.n++
	return h.Handler.Handle(ctx, r)
}

func RacyCounted() {
	l := slog.New(countedHandler{slog.NewTextHandler(io.Discard, nil), new(int)})
	f := func() { l.Info("a", "k", 1) }
	both(f, f)
}

// named embeds a handler, and has all of its methods.
type named struct {
	slog.Handler
	name string
}

func SafeNamed() {
	var b bytes.Buffer
	l := slog.New(&named{slog.NewTextHandler(&b, nil), "n"})
	f := func() { l.Info("a", "k", 1) }
	both(f, f)
	_ = b.String()
}

// A logger of a goroutine is made while another one writes to the same buffer.
func SafeMadeMeanwhile() {
	var b bytes.Buffer
	place := make(chan bool, 1)
	f := func() {
		l := log.New(&b, "", 0)
		place <- true
		l.Print("a")
		<-place
	}
	both(f, f)
}

// An operand of a call changes memory behind the last operand that is a call itself.
func RacyAppendedOperand() {
	l := slog.New(slog.NewTextHandler(io.Discard, nil))
	base := make([]slog.Attr, 0, 4)
	f := func() { l.LogAttrs(context.Background(), slog.LevelInfo, "a", append(base, slog.Int("i", 1))...) }
	both(f, f)
}

func RacyLevels() {
	var b bytes.Buffer
	o := &slog.HandlerOptions{Level: new(slog.LevelVar)}
	x, y := slog.New(slog.NewTextHandler(&b, o)), slog.New(slog.NewTextHandler(&b, o))
	both(func() { x.Info("a") }, func() { y.Info("b") })
}

func SafeLevels() {
	var b bytes.Buffer
	level := new(slog.LevelVar)
	l := slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{Level: level}))
	both(func() { l.Info("a"); level.Set(slog.LevelError) }, func() { l.Info("b"); l.Error("c") })
	_ = b.String()
}

// shownByLogger counts how often it is asked what it is: loggers ask without their locks.
type shownByLogger struct{ n *int }

func (s shownByLogger) String() string {
	*s.n++
	return "s"
}

func UnseenShownByLogger() {
	l := log.New(io.Discard, "", 0)
	l.SetOutput(&renamed{io.Discard})
	s := shownByLogger{new(int)}
	f := func() { l.Print(s) }
	both(f, f)
}

// Loggers that write to one writer of the program have a lock each.
func RacyManyWriters() {
	c := &counter{out: io.Discard}
	x, y := log.New(io.MultiWriter(io.Discard, c), "", 0), slog.New(slog.NewTextHandler(c, nil))
	both(func() { x.Print("a") }, func() { y.Info("b") })
}

func SafeOneWriter() {
	c := &counter{out: io.Discard}
	x := slog.New(slog.NewTextHandler(io.MultiWriter(io.Discard, c), nil))
	y := x.With("k", 1)
	both(func() { x.Info("a"); x.Warn("a") }, func() { y.Info("b") })
}
