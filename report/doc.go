// Package report writes the findings of bundles in formats that other programs read.
//
// [SARIF] writes SARIF 2.1.0, as code scanning services and editors show it; [Log] does so as
// results come. [JUnit] writes what continuous integration shows, and [GitHub] annotations.
// [Accept] finds out which findings a team has decided to live with, by comments in the program
// and by a [Baseline].
package report
