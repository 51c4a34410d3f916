//go:build go1.25

package orcruntime

import (
	"context"
	"os"
)

// NotifySignals is real, which is signal.Notify. No signal comes in a run: the
// goroutine of package os/signal could not send to a channel of the bubble.
func NotifySignals(real func(chan<- os.Signal, ...os.Signal)) func(chan<- os.Signal, ...os.Signal) {
	s := controlling()
	if s == nil {
		return real
	}
	return func(c chan<- os.Signal, _ ...os.Signal) {
		if c == nil {
			panic("os/signal: Notify using nil channel")
		}
		s.awaitSignals(c)
	}
}

// StopSignals is real, which is signal.Stop.
func StopSignals(real func(chan<- os.Signal)) func(chan<- os.Signal) {
	s := controlling()
	if s == nil {
		return real
	}
	return func(c chan<- os.Signal) { s.awaitNoSignals(c) }
}

// SignalContext is real, which is signal.NotifyContext.
func SignalContext(real func(context.Context, ...os.Signal) (context.Context, context.CancelFunc)) func(context.Context, ...os.Signal) (context.Context, context.CancelFunc) {
	s := controlling()
	if s == nil {
		return real
	}
	return func(parent context.Context, _ ...os.Signal) (context.Context, context.CancelFunc) {
		ctx, cancel := context.WithCancel(parent)
		s.awaitSignals(ctx)
		return ctx, func() {
			s.awaitNoSignals(ctx)
			cancel()
		}
	}
}

// awaitSignals remembers a channel or context that signals come to.
func (s *run) awaitSignals(to any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.signals == nil {
		s.signals = make(map[any]bool)
	}
	s.signals[to] = true
}

// awaitNoSignals forgets it.
func (s *run) awaitNoSignals(to any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.signals, to)
}
