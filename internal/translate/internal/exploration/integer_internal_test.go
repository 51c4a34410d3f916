package exploration

import (
	"fmt"
	"go/token"
	"go/types"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// integer is a type of Go whose arithmetic the model has.
type integer interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// small is a value in the model, which has no place for those that are not 32 bits wide.
func small[T integer](v T) (int32, bool) {
	if v > 0 && uint64(v) > math.MaxInt32 || v < 0 && int64(v) < math.MinInt32 {
		return 0, false
	}
	return int32(v), true
}

// operations are those of two integers of the same type, as Go has them; ok is false where
// they panic.
func operations[T integer]() map[token.Token]func(x, y T) (z T, ok bool) {
	safe := func(f func(x, y T) T) func(x, y T) (T, bool) {
		return func(x, y T) (T, bool) { return f(x, y), true }
	}
	panics := func(bad func(y T) bool, f func(x, y T) T) func(x, y T) (T, bool) {
		return func(x, y T) (T, bool) {
			if bad(y) {
				return 0, false
			}
			return f(x, y), true
		}
	}
	zero, negative := func(y T) bool { return y == 0 }, func(y T) bool { return y < 0 }
	return map[token.Token]func(x, y T) (T, bool){
		token.ADD:     safe(func(x, y T) T { return x + y }),
		token.SUB:     safe(func(x, y T) T { return x - y }),
		token.MUL:     safe(func(x, y T) T { return x * y }),
		token.AND:     safe(func(x, y T) T { return x & y }),
		token.OR:      safe(func(x, y T) T { return x | y }),
		token.XOR:     safe(func(x, y T) T { return x ^ y }),
		token.AND_NOT: safe(func(x, y T) T { return x &^ y }),
		token.QUO:     panics(zero, func(x, y T) T { return x / y }),
		token.REM:     panics(zero, func(x, y T) T { return x % y }),
		token.SHL:     panics(negative, func(x, y T) T { return x << y }),
		token.SHR:     panics(negative, func(x, y T) T { return x >> y }),
	}
}

// edges are the values of a type at which it wraps around, and some around zero.
func edges[T integer](lo, hi T) []T {
	out := []T{0, 1, 2, 3, 7, 8, 31, 32, 33, lo, lo + 1, lo + 2, hi, hi - 1, hi - 2, hi / 2, hi/2 + 1, lo / 2}
	if lo < 0 {
		minus := T(0)
		for range 3 {
			minus--
			out = append(out, minus)
		}
	}
	return out
}

// arithmetic compares the operations of a type with those of Go, on constants, and on what
// may be several things.
func arithmetic[T integer](t *testing.T, kind types.BasicKind, lo, hi T) {
	typ := types.Typ[kind]
	var values []T
	for _, v := range edges(lo, hi) {
		if _, ok := small(v); ok {
			values = append(values, v)
		}
	}
	u, v := &state.Variable{ID: 1}, &state.Variable{ID: 2}
	u.Expr, v.Expr = sym.Read(sym.OpVar, u, 0), sym.Read(sym.OpVar, v, 0)
	few := func(x T) sym.Set {
		var a sym.Set
		for _, y := range []T{x, values[0], values[len(values)/2]} {
			k, _ := small(y)
			a = a.Join(sym.Single(k), sym.MaxRefSet)
		}
		return a
	}
	between := func(x T) sym.Set {
		k, _ := small(x)
		return sym.Set{Interval: true, Lo: min(0, k), Hi: max(1, k)}
	}
	for op, f := range operations[T]() {
		told := 0
		for _, x := range values {
			for _, y := range values {
				z, ok := f(x, y)
				k, fits := small(z)
				a, _ := small(x)
				b, _ := small(y)
				compare := func(how string, e *sym.Expr) {
					at := fmt.Sprintf("%s: %d %s %d, %s", typ, x, op, y, how)
					switch {
					case e.UnknownIn() != nil:
					case !ok:
						// It panics before there is a result.
					case !fits:
						require.Fail(t, "it cannot be known", at)
					default:
						told++
						require.Equal(t, k, valueOf(e, map[*state.Variable]int32{u: a, v: b}), at)
					}
				}
				constants := pathOf(nil).Integer(op, typ, sym.Num(a), sym.Num(b))
				compare("constants", constants)
				if typ.Info()&types.IsUnsigned == 0 && ok && fits && (op == token.QUO || op == token.REM || op == token.ADD || op == token.SUB) && 8*sizeOf(kind) < 32 {
					require.Nil(t, constants.UnknownIn(), "%s: %d %s %d", typ, x, op, y)
				}
				for how, can := range map[string]map[*sym.Expr]sym.Set{
					"few":     {u.Expr: few(x), v.Expr: few(y)},
					"between": {u.Expr: between(x), v.Expr: between(y)},
				} {
					compare(how, pathOf(can).Integer(op, typ, u.Expr, v.Expr))
				}
			}
		}
		require.NotZero(t, told, "%s %s", typ, op)
	}
	for _, x := range values {
		a, _ := small(x)
		for how, e := range map[string]*sym.Expr{"constant": sym.Num(a), "few": u.Expr} {
			p := pathOf(map[*sym.Expr]sym.Set{u.Expr: few(x)})
			for op, z := range map[string]T{"-": -x, "^": ^x} {
				from := map[string]int32{"-": 0, "^": -1}[op]
				out := p.Integer(token.SUB, typ, sym.Num(from), e)
				k, fits := small(z)
				if out.UnknownIn() == nil {
					require.True(t, fits, "%s%d of %s, %s", op, x, typ, how)
					require.Equal(t, k, valueOf(out, map[*state.Variable]int32{u: a}), "%s%d of %s, %s", op, x, typ, how)
				}
			}
			for to, z := range converted(x) {
				out := p.Fits(e, types.Typ[to])
				if out.UnknownIn() == nil {
					require.Equal(t, z, int64(valueOf(out, map[*state.Variable]int32{u: a})), "%s(%d) from %s, %s", types.Typ[to], x, typ, how)
				}
			}
		}
	}
}

func sizeOf(kind types.BasicKind) int64 {
	return types.SizesFor("gc", "amd64").Sizeof(types.Typ[kind])
}

// converted is a value in all integer types.
func converted[T integer](x T) map[types.BasicKind]int64 {
	out := map[types.BasicKind]int64{
		types.Int8: int64(int8(x)), types.Int16: int64(int16(x)), types.Int32: int64(int32(x)), types.Int64: int64(x), types.Int: int64(int(x)),
		types.Uint8: int64(uint8(x)), types.Uint16: int64(uint16(x)), types.Uint32: int64(uint32(x)),
	}
	for kind, v := range map[types.BasicKind]uint64{types.Uint64: uint64(x), types.Uint: uint64(uint(x)), types.Uintptr: uint64(uintptr(x))} {
		if v <= math.MaxInt64 {
			out[kind] = int64(v)
		} else {
			out[kind] = math.MaxInt64 // which no value of the model is
		}
	}
	return out
}

// TestIntegers: what the operations on integers give, and conversions between them, is what
// Go gives, at the edges of each width; or it is not known.
func TestIntegers(t *testing.T) {
	arithmetic[int8](t, types.Int8, math.MinInt8, math.MaxInt8)
	arithmetic[int16](t, types.Int16, math.MinInt16, math.MaxInt16)
	arithmetic[int32](t, types.Int32, math.MinInt32, math.MaxInt32)
	arithmetic[int64](t, types.Int64, math.MinInt64, math.MaxInt64)
	arithmetic[int64](t, types.Int, math.MinInt64, math.MaxInt64)
	arithmetic[uint8](t, types.Uint8, 0, math.MaxUint8)
	arithmetic[uint16](t, types.Uint16, 0, math.MaxUint16)
	arithmetic[uint32](t, types.Uint32, 0, math.MaxUint32)
	arithmetic[uint64](t, types.Uint64, 0, math.MaxUint64)
	arithmetic[uint64](t, types.Uint, 0, math.MaxUint64)
}
