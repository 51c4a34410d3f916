package promela

import (
	"fmt"

	"github.com/vtrace/vtrace/internal/uppaal"
)

// deadlockQuery recognises A[] not deadlock and E<> deadlock.
func deadlockQuery(q *uppaal.Query) (*uppaal.Deadlock, bool) {
	if q == nil {
		return nil, false
	}
	e := q.X
	if q.Op == uppaal.Always {
		n, ok := e.(*uppaal.Unary)
		if !ok || n.Op != uppaal.OpNot {
			return nil, false
		}
		e = n.X
	} else if q.Op != uppaal.Possibly {
		return nil, false
	}
	d, ok := e.(*uppaal.Deadlock)
	return d, ok
}

// property writes the process that watches for what the query asks.
func (x *exporter) property() string {
	q := x.query
	if q == nil {
		return ""
	}
	if q.Op != uppaal.Always && q.Op != uppaal.Possibly {
		failf(q.Pos, "queries with %s cannot be exported", q.Op)
	}
	if _, ok := deadlockQuery(q); ok {
		return ""
	}
	// What is looked for where something can happen, and in deadlocks, which Spin calls a
	// timeout: nobody else can go on.
	alive := x.wanted(false)
	if !asksDeadlock(q.X) {
		return fmt.Sprintf("active proctype property()\n{\n\tatomic { %s -> assert(false) }\n}\n", alive)
	}
	dead := x.wanted(true)
	if dead != "true" && dead != "false" {
		dead = "(" + dead + ")"
	}
	return fmt.Sprintf("active proctype property()\n{\n\tif\n\t:: atomic { %s -> assert(false) }\n\t:: atomic { timeout && %s -> assert(false) }\n\tfi\n}\n", alive, dead)
}

func asksDeadlock(e uppaal.Expr) (found bool) {
	uppaal.Inspect(e, func(e uppaal.Expr) {
		_, ok := e.(*uppaal.Deadlock)
		found = found || ok
	})
	return found
}

// wanted is the condition of a state that decides the query, for states that are deadlocks
// or for others. Both are the same if the query does not ask.
func (x *exporter) wanted(dead bool) string {
	s := &scope{x: x, proc: -1, query: true, dead: dead}
	v := x.condition(s, func(s *scope) val {
		v := boolean(s.expr(x.query.X))
		if x.query.Op == uppaal.Always {
			v = not(v)
		}
		return v
	})
	if v.constant() {
		return map[bool]string{true: "true", false: "false"}[v.lo != 0]
	}
	return v.text
}
