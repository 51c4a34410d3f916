//go:build go1.25

package orcruntime

// polls is how many choices in a row one goroutine may be the only one that can
// go on, until it is taken to poll the clock. After a few hundred it may still be
// at work, and find its time limits exceeded.
const polls = 5000

// Patient is a Chooser like c under which time passes only when nothing else can
// happen, as it does for a program on an idle machine.
func Patient(c Chooser) Chooser { return &patient{Chooser: c} }

type patient struct {
	Chooser
	alone int // choices in a row with one goroutine that is ready
}

func (c *patient) Next(v View) Choice {
	if len(v.Ready) != 1 {
		c.alone = 0
	} else if c.alone++; c.alone > polls && v.Time {
		c.alone = 0
		return Choice{Index: TimePasses}
	}
	v.Time = false
	return c.Chooser.Next(v)
}
