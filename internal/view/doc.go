// Package view makes a page of a bundle, of a recorded run, or of a trace of a model: one HTML file,
// which shows how each finding comes about step by step. It needs no network, and can be sent to
// somebody as it is.
//
// [Of] gives what the page of a bundle shows as [Data], and [Write] the page; [OfRecording] and
// [WriteRecording] those of a recorded run, [OfModel] and [WriteModel] those of a trace of a
// model. All are computed from what they are given alone, and the same gives the same bytes. Nothing of
// a bundle is executed: its model is followed by the model checker, within bounds, and what it
// says is on the page as text, never as HTML. What would make the page too large is left out, and the
// page says so.
package view
