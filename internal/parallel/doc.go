// Package parallel computes the elements of a list on all processors, for who takes them one after the other.
package parallel
