//go:build !race

package orcutil

const raceDetector = false
