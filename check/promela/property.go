package promela

import (
	"fmt"

	"github.com/vtrace/vtrace/uppaal"
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
	s := &scope{x: x, proc: -1, query: true}
	v := x.condition(s, func(s *scope) val {
		v := boolean(s.expr(q.X))
		if q.Op == uppaal.Always {
			v = not(v)
		}
		return v
	})
	text := v.text
	if v.constant() {
		text = map[bool]string{true: "true", false: "false"}[v.lo != 0]
	}
	return fmt.Sprintf("active proctype property()\n{\n\tatomic { %s -> assert(false) }\n}\n", text)
}
