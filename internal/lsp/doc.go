// Package lsp is a language server, by version 3.17 of the Language Server Protocol: findings
// as diagnostics, and commands that check an entry point, replay a finding and show it.
//
// The text of open documents is what is checked, saved or not. Nothing is written for that, and
// nothing of a program is built or run, nor the go command started, but for a command that the
// client has asked for. What checks have found before is taken from the results that are kept.
//
// A finding is shown where its code is now. When that has changed since the check the finding
// is a hint, and when other code of the program has, its message says so.
package lsp
