package promela

import (
	"fmt"
	"math"
	"strconv"

	"github.com/vtrace/vtrace/internal/uppaal"
)

// val is the text of an integer expression and an interval of its values.
type val struct {
	text   string
	lo, hi int64
}

func (v val) constant() bool { return v.lo == v.hi }

func (v val) within(lo, hi int64) bool { return v.lo >= lo && v.hi <= hi }

// lit is a literal. The least integer has no literal in C.
func lit(n int64) val {
	text := strconv.FormatInt(n, 10)
	switch {
	case n == math.MinInt32:
		text = "(-2147483647-1)"
	case n < 0:
		text = "(" + text + ")"
	}
	return val{text, n, n}
}

// mk makes a value; one that leaves 32 bits wraps around. A constant is
// written as such.
func mk(lo, hi int64, format string, args ...any) val {
	if lo < math.MinInt32 || hi > math.MaxInt32 {
		if lo == hi {
			return lit(int64(int32(lo)))
		}
		lo, hi = math.MinInt32, math.MaxInt32
	}
	if lo == hi {
		return lit(lo)
	}
	text := fmt.Sprintf(format, args...)
	if len(text) > maxText {
		failf(uppaal.Pos{}, "an expression is too large to be exported")
	}
	return val{text, lo, hi}
}

// opaque is a value of which only the type's range is known.
func opaque(t uppaal.Type, text string) val {
	lo, hi, ok := uppaal.Range(t)
	if !ok {
		lo, hi = math.MinInt32, math.MaxInt32
	}
	return val{text, int64(lo), int64(hi)}
}

// truth is a value that is 0 or 1.
func truth(format string, args ...any) val { return mk(0, 1, format, args...) }

func bit(b bool) val {
	if b {
		return lit(1)
	}
	return lit(0)
}

func add(x, y val) val {
	switch {
	case x.constant() && x.lo == 0:
		return y
	case y.constant() && y.lo == 0:
		return x
	}
	return mk(x.lo+y.lo, x.hi+y.hi, "(%s + %s)", x.text, y.text)
}

func sub(x, y val) val {
	if y.constant() && y.lo == 0 {
		return x
	}
	return mk(x.lo-y.hi, x.hi-y.lo, "(%s - %s)", x.text, y.text)
}

func mul(x, y val) val {
	if x.constant() && x.lo == 1 {
		return y
	}
	if y.constant() && y.lo == 1 {
		return x
	}
	a, b, c, d := x.lo*y.lo, x.lo*y.hi, x.hi*y.lo, x.hi*y.hi
	return mk(min(a, b, c, d), max(a, b, c, d), "(%s * %s)", x.text, y.text)
}

// compare writes a comparison, or its result where the intervals tell it.
func compare(op uppaal.Op, x, y val) val {
	var always, never bool
	switch op {
	case uppaal.OpLt:
		always, never = x.hi < y.lo, x.lo >= y.hi
	case uppaal.OpLe:
		always, never = x.hi <= y.lo, x.lo > y.hi
	case uppaal.OpGt:
		always, never = x.lo > y.hi, x.hi <= y.lo
	case uppaal.OpGe:
		always, never = x.lo >= y.hi, x.hi < y.lo
	case uppaal.OpEq:
		always, never = x.constant() && y.constant() && x.lo == y.lo, x.hi < y.lo || x.lo > y.hi
	case uppaal.OpNe:
		always, never = x.hi < y.lo || x.lo > y.hi, x.constant() && y.constant() && x.lo == y.lo
	}
	switch {
	case always:
		return lit(1)
	case never:
		return lit(0)
	}
	return truth("(%s %s %s)", x.text, op, y.text)
}

// boolean turns any integer into 0 or 1.
func boolean(x val) val {
	switch {
	case x.within(0, 1):
		return x
	case x.lo > 0 || x.hi < 0:
		return lit(1)
	}
	return truth("(%s != 0)", x.text)
}

func not(x val) val {
	if x.constant() {
		return bit(x.lo == 0)
	}
	return truth("(!%s)", x.text)
}

func and(x, y val) val {
	switch {
	case x.constant():
		if x.lo == 0 {
			return lit(0)
		}
		return boolean(y)
	case y.constant() && y.lo != 0:
		return boolean(x)
	}
	return truth("(%s && %s)", x.text, y.text)
}

func or(x, y val) val {
	switch {
	case x.constant():
		if x.lo != 0 {
			return lit(1)
		}
		return boolean(y)
	case y.constant() && y.lo == 0:
		return boolean(x)
	}
	return truth("(%s || %s)", x.text, y.text)
}
