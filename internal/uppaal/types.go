package uppaal

import (
	"fmt"
	"slices"
	"strings"
)

// fullInt is the type of arithmetic: 32 bits.
var fullInt = Int{minInt32, maxInt32}

// String gives the type as a declaration writes it.
func (Bool) String() string { return "bool" }

// String gives the type as a declaration writes it.
func (t Int) String() string { return fmt.Sprintf("int[%d,%d]", t.Lo, t.Hi) }

// String gives the type as a declaration writes it.
func (t Chan) String() string {
	s := "chan"
	if t.Broadcast {
		s = "broadcast " + s
	}
	if t.Urgent {
		s = "urgent " + s
	}
	return s
}

// String gives the element type and the dimensions, outermost first.
func (t *Array) String() string {
	dims := ""
	var elem Type = t
	for {
		a, ok := elem.(*Array)
		if !ok {
			return fmt.Sprint(elem) + dims
		}
		switch {
		case a.Scalar != nil:
			dims += "[" + a.Scalar.String() + "]"
		case a.Lo == 0:
			dims += fmt.Sprintf("[%d]", int64(a.Hi)+1)
		default:
			dims += fmt.Sprintf("[int[%d,%d]]", a.Lo, a.Hi)
		}
		elem = a.Elem
	}
}

// String gives the type as a declaration writes it.
func (t *Struct) String() string {
	var b strings.Builder
	b.WriteString("struct { ")
	for _, f := range t.Fields {
		fmt.Fprintf(&b, "%v %s; ", f.Type, f.Name)
	}
	b.WriteString("}")
	return b.String()
}

// String gives the name, or scalar[n] without one.
func (t *Scalar) String() string {
	if t.Name != "" {
		return t.Name
	}
	return fmt.Sprintf("scalar[%d]", t.Size)
}

// String gives the type as a declaration writes it.
func (Void) String() string { return "void" }

// maxCells bounds the size of one variable.
const maxCells = 1 << 20

// Size is the number of integers that a value of the type is flattened to: 1
// for Bool, Int and Scalar. A channel has no value, but channels of an array
// are numbered in the same way, so that its size is 1 too.
func Size(t Type) int {
	switch t := t.(type) {
	case *Array:
		return t.Len() * Size(t.Elem)
	case *Struct:
		n := 0
		for _, f := range t.Fields {
			n += Size(f.Type)
		}
		return n
	case Void, nil:
		return 0
	}
	return 1
}

// Len is the number of elements.
func (t *Array) Len() int { return int(int64(t.Hi) - int64(t.Lo) + 1) }

// Field gives the offset, in flattened integers, and the type of a field.
func (t *Struct) Field(name string) (offset int, typ Type, ok bool) {
	for _, f := range t.Fields {
		if f.Name == name {
			return offset, f.Type, true
		}
		offset += Size(f.Type)
	}
	return 0, nil, false
}

// index gives the position of a field, -1 if there is none.
func (t *Struct) index(name string) int {
	return slices.IndexFunc(t.Fields, func(f FieldType) bool { return f.Name == name })
}

// Range gives the least and greatest value of Bool, Int or Scalar.
func Range(t Type) (lo, hi int32, ok bool) {
	switch t := t.(type) {
	case Bool:
		return 0, 1, true
	case Int:
		return t.Lo, t.Hi, true
	case *Scalar:
		return 0, t.Size - 1, true
	}
	return 0, 0, false
}

// Leaves calls f for every integer that a value of the type is flattened to,
// in order, with the suffix that names it, such as "[1].x", and its type.
func Leaves(t Type, f func(suffix string, leaf Type)) { leaves("", t, f) }

func leaves(suffix string, t Type, f func(string, Type)) {
	switch t := t.(type) {
	case *Array:
		for i := int64(t.Lo); i <= int64(t.Hi); i++ {
			leaves(fmt.Sprintf("%s[%d]", suffix, i), t.Elem, f)
		}
	case *Struct:
		for _, fd := range t.Fields {
			leaves(suffix+"."+fd.Name, fd.Type, f)
		}
	case Void, nil:
	default:
		f(suffix, t)
	}
}

// Zero gives the flattened value of a variable that has no initialiser: every
// integer is 0, or the lower bound of its range if 0 is not in it.
func Zero(t Type) []int32 {
	out := make([]int32, 0, Size(t))
	var add func(t Type)
	add = func(t Type) {
		switch t := t.(type) {
		case *Array:
			from := len(out)
			add(t.Elem)
			elem := out[from:]
			for n := t.Len() - 1; n > 0; n-- {
				out = append(out, elem...)
			}
		case *Struct:
			for _, f := range t.Fields {
				add(f.Type)
			}
		case Int:
			if t.Lo > 0 || t.Hi < 0 {
				out = append(out, t.Lo)
			} else {
				out = append(out, 0)
			}
		case Void, nil:
		default:
			out = append(out, 0)
		}
	}
	add(t)
	return out
}

// integral reports whether a value of the type is used as an integer or truth
// value.
func integral(t Type) bool {
	switch t.(type) {
	case Bool, Int:
		return true
	}
	return false
}

// equivalent reports whether two types are the same for references through which
// nothing is changed, whole copies and whole comparisons.
func equivalent(a, b Type) bool { return alike(a, b, true) }

// identical reports whether they are the same for references through which either
// may be changed: "const int" is no exception.
func identical(a, b Type) bool { return alike(a, b, false) }

func alike(a, b Type, constants bool) bool {
	switch a := a.(type) {
	case Bool, Void:
		return a == b
	case Int:
		b, ok := b.(Int)
		// "const int" has no range; its type is that of 32 bits.
		return ok && (a == b || constants && (a == fullInt || b == fullInt))
	case Chan:
		b, ok := b.(Chan)
		return ok && a.capability() == b.capability()
	case *Scalar:
		return a == b
	case *Array:
		b, ok := b.(*Array)
		return ok && a.Lo == b.Lo && a.Hi == b.Hi && a.Scalar == b.Scalar && alike(a.Elem, b.Elem, constants)
	case *Struct:
		b, ok := b.(*Struct)
		if !ok || len(a.Fields) != len(b.Fields) {
			return false
		}
		for i, f := range a.Fields {
			if f.Name != b.Fields[i].Name || !alike(f.Type, b.Fields[i].Type, constants) {
				return false
			}
		}
		return true
	}
	return false
}

// assignable reports whether a value of type src can be stored in dst.
func assignable(dst, src Type) bool {
	if integral(dst) && integral(src) {
		return true
	}
	switch dst.(type) {
	case *Array, *Struct, *Scalar:
		return equivalent(dst, src) && !hasChan(dst)
	}
	return false
}

// hasChan reports whether the type is a channel or an array of channels.
func hasChan(t Type) bool {
	for {
		switch u := t.(type) {
		case Chan:
			return true
		case *Array:
			t = u.Elem
		default:
			return false
		}
	}
}
