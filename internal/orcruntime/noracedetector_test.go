//go:build !race

package orcruntime

const raceDetector = false
