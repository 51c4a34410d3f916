// Package view makes a page of a bundle: one HTML file, which shows how each finding comes about
// step by step. It needs no network, and can be sent to somebody as it is.
//
// [Of] gives what the page shows as [Data], and [Write] the page. Both are computed from the bundle
// alone, and the same bundle gives the same bytes. Nothing of the bundle is executed: its model is
// followed by the model checker, within bounds, and what it says is on the page as text, never
// as HTML. What would make the page too large is left out, and the page says so.
package view
