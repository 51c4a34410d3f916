// Package report writes the findings of bundles in formats that other programs read.
//
// [SARIF] writes SARIF 2.1.0, as code scanning services and editors show it; [Log] does so as
// results come.
package report
