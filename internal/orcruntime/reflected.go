//go:build go1.25

package orcruntime

import (
	"reflect"
	"unsafe"
)

// ReflectedValue is a reflect.Value whose methods record what they read and write of the memory that the program has,
// which is that of a value that is addressable, the elements of a slice, and a map. Those of other values are copies that
// nobody else has.
type ReflectedValue struct {
	reflect.Value
	at Place
}

// Reflected is v for a call of one of its methods. Generated code calls it.
func Reflected(at Place, v reflect.Value) ReflectedValue { return ReflectedValue{v, at} }

// reads records that the memory of u is read, of which u is perhaps a copy already.
func (v ReflectedValue) reads(u reflect.Value) { v.own(u, 0) }

// writes records that the memory of v is written.
func (v ReflectedValue) writes() { v.own(v.Value, writes) }

func (v ReflectedValue) own(u reflect.Value, kind accessKind) {
	if u.CanAddr() && looksForAccesses() {
		accessed(v.at, u.Addr().UnsafePointer(), u.Type().Size(), kind)
	}
}

// elements records an access to elements i to j of u, which is a slice, or an array that is addressable.
func (v ReflectedValue) elements(u reflect.Value, i, j int, kind accessKind) {
	if i >= j || !looksForAccesses() {
		return
	}
	size := u.Type().Elem().Size()
	var p unsafe.Pointer
	switch {
	case u.Kind() == reflect.Slice:
		p = u.UnsafePointer()
	case u.Kind() == reflect.Array && u.CanAddr():
		p = u.Addr().UnsafePointer()
	default: // a string, or a copy
		return
	}
	accessed(v.at, unsafe.Add(p, uintptr(i)*size), uintptr(j-i)*size, kind)
}

// mapped records an access to the map that v is.
func (v ReflectedValue) mapped(kind accessKind) {
	if v.Kind() == reflect.Map && !v.Value.IsNil() {
		accessed(v.at, v.Value.UnsafePointer(), 1, ofMap|kind)
	}
}

// header records that v is read, if it is a slice, a string, or what else has a part of its own.
func (v ReflectedValue) header() {
	if v.Kind() != reflect.Array {
		v.reads(v.Value)
	}
}

// Bool and the methods like it read the value.
func (v ReflectedValue) Bool() bool          { v.reads(v.Value); return v.Value.Bool() }
func (v ReflectedValue) Int() int64          { v.reads(v.Value); return v.Value.Int() }
func (v ReflectedValue) Uint() uint64        { v.reads(v.Value); return v.Value.Uint() }
func (v ReflectedValue) Float() float64      { v.reads(v.Value); return v.Value.Float() }
func (v ReflectedValue) Complex() complex128 { v.reads(v.Value); return v.Value.Complex() }
func (v ReflectedValue) Interface() any      { v.reads(v.Value); return v.Value.Interface() }
func (v ReflectedValue) IsNil() bool         { v.reads(v.Value); return v.Value.IsNil() }
func (v ReflectedValue) IsZero() bool        { v.reads(v.Value); return v.Value.IsZero() }
func (v ReflectedValue) Pointer() uintptr    { v.reads(v.Value); return v.Value.Pointer() }
func (v ReflectedValue) UnsafePointer() unsafe.Pointer {
	v.reads(v.Value)
	return v.Value.UnsafePointer()
}
func (v ReflectedValue) Elem() reflect.Value { v.reads(v.Value); return v.Value.Elem() }

// Method binds a method to a copy of the value, or to what is in the interface.
func (v ReflectedValue) Method(i int) reflect.Value { v.reads(v.Value); return v.Value.Method(i) }

// MethodByName is Method by the name of the method.
func (v ReflectedValue) MethodByName(name string) reflect.Value {
	v.reads(v.Value)
	return v.Value.MethodByName(name)
}

// String reads a string; of other values it is their type.
func (v ReflectedValue) String() string {
	if v.Kind() == reflect.String {
		v.reads(v.Value)
	}
	return v.Value.String()
}

// Comparable looks into interfaces.
func (v ReflectedValue) Comparable() bool {
	if v.Kind() == reflect.Interface {
		v.reads(v.Value)
	}
	return v.Value.Comparable()
}

// Equal reads both values.
func (v ReflectedValue) Equal(u reflect.Value) bool {
	v.reads(v.Value)
	v.reads(u)
	return v.Value.Equal(u)
}

// Convert reads the value, and the elements of a slice that becomes a string or an array.
func (v ReflectedValue) Convert(t reflect.Type) reflect.Value {
	v.reads(v.Value)
	if v.Kind() == reflect.Slice && (t.Kind() == reflect.String || t.Kind() == reflect.Array) {
		v.elements(v.Value, 0, v.Value.Len(), 0)
	}
	return v.Value.Convert(t)
}

// Len reads how long a slice is, or a map.
func (v ReflectedValue) Len() int {
	v.header()
	v.mapped(0)
	return v.Value.Len()
}

// Cap and the methods like it read where the elements are, and how many.
func (v ReflectedValue) Cap() int                     { v.header(); return v.Value.Cap() }
func (v ReflectedValue) Bytes() []byte                { v.header(); return v.Value.Bytes() }
func (v ReflectedValue) Index(i int) reflect.Value    { v.header(); return v.Value.Index(i) }
func (v ReflectedValue) Slice(i, j int) reflect.Value { v.header(); return v.Value.Slice(i, j) }
func (v ReflectedValue) Slice3(i, j, k int) reflect.Value {
	v.header()
	return v.Value.Slice3(i, j, k)
}

// MapIndex reads the map, and the key.
func (v ReflectedValue) MapIndex(key reflect.Value) reflect.Value {
	v.reads(v.Value)
	v.reads(key)
	v.mapped(0)
	return v.Value.MapIndex(key)
}

// MapKeys reads the map.
func (v ReflectedValue) MapKeys() []reflect.Value {
	v.reads(v.Value)
	v.mapped(0)
	return v.Value.MapKeys()
}

// MapRange reads the map. What its iterator does later is not recorded.
func (v ReflectedValue) MapRange() *reflect.MapIter {
	v.reads(v.Value)
	v.mapped(0)
	return v.Value.MapRange()
}

// Call reads the function, and its arguments.
func (v ReflectedValue) Call(in []reflect.Value) []reflect.Value {
	v.called(in)
	return v.Value.Call(in)
}

// CallSlice reads the function, and its arguments.
func (v ReflectedValue) CallSlice(in []reflect.Value) []reflect.Value {
	v.called(in)
	return v.Value.CallSlice(in)
}

func (v ReflectedValue) called(in []reflect.Value) {
	v.reads(v.Value)
	for _, u := range in {
		v.reads(u)
	}
}

// FieldByIndex reads the embedded pointers on the way.
func (v ReflectedValue) FieldByIndex(index []int) reflect.Value {
	v.through(index)
	return v.Value.FieldByIndex(index)
}

// FieldByIndexErr is FieldByIndex, with an error for a pointer that is nil.
func (v ReflectedValue) FieldByIndexErr(index []int) (reflect.Value, error) {
	v.through(index)
	return v.Value.FieldByIndexErr(index)
}

// FieldByName is FieldByIndex by the name of the field.
func (v ReflectedValue) FieldByName(name string) reflect.Value {
	if v.Kind() != reflect.Struct {
		return v.Value.FieldByName(name) // which panics
	}
	return v.field(v.Type().FieldByName(name))
}

// FieldByNameFunc is FieldByIndex of the field whose name is asked for.
func (v ReflectedValue) FieldByNameFunc(match func(string) bool) reflect.Value {
	if v.Kind() != reflect.Struct {
		return v.Value.FieldByNameFunc(match) // which panics
	}
	return v.field(v.Type().FieldByNameFunc(match))
}

// field is that of a type, if it has it.
func (v ReflectedValue) field(f reflect.StructField, ok bool) reflect.Value {
	if !ok {
		return reflect.Value{}
	}
	return v.FieldByIndex(f.Index)
}

func (v ReflectedValue) through(index []int) {
	if !looksForAccesses() {
		return
	}
	u := v.Value
	for _, i := range index {
		if u.Kind() == reflect.Pointer {
			v.reads(u)
			if u = u.Elem(); !u.IsValid() {
				return // what follows fails
			}
		}
		if u.Kind() != reflect.Struct || uint(i) >= uint(u.NumField()) {
			return
		}
		u = u.Field(i)
	}
}

// Set writes the value, and reads the other one.
func (v ReflectedValue) Set(x reflect.Value) {
	v.reads(x)
	v.Value.Set(x)
	v.writes()
}

// SetBool and the methods like it write the value.
func (v ReflectedValue) SetBool(x bool)                   { v.Value.SetBool(x); v.writes() }
func (v ReflectedValue) SetInt(x int64)                   { v.Value.SetInt(x); v.writes() }
func (v ReflectedValue) SetUint(x uint64)                 { v.Value.SetUint(x); v.writes() }
func (v ReflectedValue) SetFloat(x float64)               { v.Value.SetFloat(x); v.writes() }
func (v ReflectedValue) SetComplex(x complex128)          { v.Value.SetComplex(x); v.writes() }
func (v ReflectedValue) SetString(x string)               { v.Value.SetString(x); v.writes() }
func (v ReflectedValue) SetBytes(x []byte)                { v.Value.SetBytes(x); v.writes() }
func (v ReflectedValue) SetPointer(x unsafe.Pointer)      { v.Value.SetPointer(x); v.writes() }
func (v ReflectedValue) SetLen(n int)                     { v.Value.SetLen(n); v.writes() }
func (v ReflectedValue) SetCap(n int)                     { v.Value.SetCap(n); v.writes() }
func (v ReflectedValue) SetZero()                         { v.Value.SetZero(); v.writes() }
func (v ReflectedValue) SetIterKey(iter *reflect.MapIter) { v.Value.SetIterKey(iter); v.writes() }
func (v ReflectedValue) SetIterValue(iter *reflect.MapIter) {
	v.Value.SetIterValue(iter)
	v.writes()
}

// SetMapIndex writes the map, and reads the key and the element.
func (v ReflectedValue) SetMapIndex(key, elem reflect.Value) {
	v.reads(v.Value)
	v.reads(key)
	if elem.IsValid() {
		v.reads(elem)
	}
	v.Value.SetMapIndex(key, elem)
	v.mapped(writes)
}

// Clear writes the map, or the elements of the slice.
func (v ReflectedValue) Clear() {
	v.reads(v.Value)
	v.Value.Clear()
	v.mapped(writes)
	if v.Kind() == reflect.Slice {
		v.elements(v.Value, 0, v.Value.Len(), writes)
	}
}

// Grow reads the slice, and writes it if it has to grow.
func (v ReflectedValue) Grow(n int) {
	v.reads(v.Value)
	if v.Kind() != reflect.Slice {
		v.Value.Grow(n) // which panics
		return
	}
	old, room := v.Value.Slice(0, v.Value.Len()), v.Value.Cap()
	v.Value.Grow(n)
	if v.Value.Cap() != room {
		v.elements(old, 0, old.Len(), 0)
		v.writes()
	}
}

// ReflectedRead is v for a function of package reflect that reads it. Generated code calls it.
func ReflectedRead(at Place, v reflect.Value) reflect.Value {
	Reflected(at, v).reads(v)
	return v
}

// ReflectedCopy is reflect.Copy.
func ReflectedCopy(at Place, function func(dst, src reflect.Value) int) func(dst, src reflect.Value) int {
	return func(dst, src reflect.Value) int {
		v, from := Reflected(at, dst), Reflected(at, src)
		v.header()
		from.header()
		n := function(dst, src)
		from.elements(src, 0, n, 0)
		v.elements(dst, 0, n, writes)
		return n
	}
}

// ReflectedAppend is reflect.Append.
func ReflectedAppend(at Place, function func(s reflect.Value, x ...reflect.Value) reflect.Value) func(s reflect.Value, x ...reflect.Value) reflect.Value {
	return func(s reflect.Value, x ...reflect.Value) reflect.Value {
		v := Reflected(at, s)
		v.called(x)
		grown := function(s, x...)
		v.appended(len(x))
		return grown
	}
}

// ReflectedAppendSlice is reflect.AppendSlice.
func ReflectedAppendSlice(at Place, function func(s, t reflect.Value) reflect.Value) func(s, t reflect.Value) reflect.Value {
	return func(s, t reflect.Value) reflect.Value {
		v := Reflected(at, s)
		v.reads(s)
		v.reads(t)
		grown := function(s, t)
		n := t.Len()
		v.elements(t, 0, n, 0)
		v.appended(n)
		return grown
	}
}

// appended records what appending n elements to the slice v does to the array behind it, as appends does.
func (v ReflectedValue) appended(n int) {
	length := v.Value.Len()
	if length+n > v.Value.Cap() {
		v.elements(v.Value, 0, length, 0)
		return
	}
	v.elements(v.Value, length, length+n, writes)
}

// ReflectedSwapper is reflect.Swapper.
func ReflectedSwapper(at Place, function func(slice any) func(i, j int)) func(slice any) func(i, j int) {
	return func(slice any) func(i, j int) {
		s, swap := reflect.ValueOf(slice), function(slice)
		v := Reflected(at, s)
		return func(i, j int) {
			swap(i, j)
			v.elements(s, i, i+1, writes|updates)
			v.elements(s, j, j+1, writes|updates)
		}
	}
}
