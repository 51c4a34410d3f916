//go:build !cgo

// Package c does without cgo.
package c

func twice(v int) int { return 2 * v }
