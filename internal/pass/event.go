package pass

import (
	"time"
)

// reporter sends the events of one pass.
type reporter struct {
	pass string
	to   func(Event)
}

func (r reporter) send(e Event) {
	if r.to != nil {
		r.to(e)
	}
}

// stage reports a stage; the caller defers or calls the result at its end.
func (r reporter) stage(name string) func() {
	if r.to == nil {
		return func() {}
	}
	r.to(StageStarted{Pass: r.pass, Stage: name})
	start := time.Now()
	return func() { r.to(StageDone{Pass: r.pass, Stage: name, Elapsed: time.Since(start)}) }
}
