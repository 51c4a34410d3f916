package check

import "time"

// A pace says when a search that counts its work is to look at the clock: a hundred
// times a second, whatever a piece of work takes. A state whose guards call functions of
// the model may take ten milliseconds, another one a microsecond.
type pace struct {
	left, every int // work until the next look, and between two
	last        time.Time
}

const (
	lookTime = 10 * time.Millisecond
	maxEvery = 1 << 13
)

// due reports that it is time to look, after work.
func (p *pace) due(work int) (now time.Time, due bool) {
	if p.left -= work; p.left > 0 {
		return time.Time{}, false
	}
	now = time.Now()
	p.look(now)
	return now, true
}

// look sets how much work is done until the next look.
func (p *pace) look(now time.Time) {
	switch took := now.Sub(p.last); {
	case p.every == 0:
		p.every = 1
	case took > lookTime:
		p.every = max(1, p.every/4)
	case took < lookTime/4:
		p.every = min(maxEvery, 2*p.every)
	}
	p.left, p.last = p.every, now
}
