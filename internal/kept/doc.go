// Package kept keeps bundles in directories: those that passes have made on the way to a result, by what they are made from
// (Cache), and results, by whatever decides of them (Results). Both are bounded, may be used by several processes at once,
// and take nothing from a directory that is not whole and of the same inputs.
package kept
