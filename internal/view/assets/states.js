'use strict';

// What the page shows; package view documents its form.
const data = JSON.parse(document.getElementById('data').textContent);

// Timeline gives the state behind each step of a trace. States are changes of the one before;
// whole ones are kept at intervals, so that a step in any direction takes the same time.
class Timeline {
  static interval = 64;

  constructor(trace) {
    this.trace = trace;
    this.kept = [change({}, trace.start, trace.values)];
    this.last = { step: -1, state: null };
  }

  // at is the state behind a number of steps. It must not be changed.
  at(step) {
    if (this.last.step !== step) this.last = { step, state: this.compute(step) };
    return this.last.state;
  }

  compute(step) {
    while (this.kept.length * Timeline.interval <= step) {
      const n = this.kept.length;
      this.kept.push(advance(this.kept[n - 1], this.trace, (n - 1) * Timeline.interval, n * Timeline.interval));
    }
    const n = Math.floor(step / Timeline.interval);
    return advance(this.kept[n], this.trace, n * Timeline.interval, step);
  }
}

// advance is a state with the changes of the steps from one to another.
function advance(state, trace, from, to) {
  const out = Object.assign({}, state);
  for (let i = from; i < to; i++) change(out, trace.steps[i].set, trace.values);
  return out;
}

// change makes the changes of a step; the values are those of the trace.
function change(state, set, values) {
  for (const key in set) {
    if (set[key] < 0) delete state[key];
    else state[key] = values[set[key]];
  }
  return state;
}

// What is said of things.

const laneName = (trace, g) => (g < 0 ? 'time' : (trace.goroutines[g] || { name: '' }).name);
const laneWord = data.model ? 'process' : 'goroutine';
const who = (trace, g) => (g < 0 ? 'time' : laneWord + ' ' + laneName(trace, g));
const site = (i) => (i >= 0 ? data.sites[i] : { kind: '', text: '', file: '', line: 0 });
const place = (s) => (s.file ? s.file + ':' + s.line : '');

// objectName is what an object is called in the program, with its name in the model and the run.
function objectName(trace, o) {
  const object = trace.objects[o];
  const called = (object.called || []).join(', ');
  const names = [object.name, object.run].filter((n, i, all) => n && all.indexOf(n) === i).join(', ');
  return called ? called + ' (' + names + ')' : names;
}

// objectShort is what the program calls an object, with its name in the run or the model where another one is called so.
function objectShort(trace, o) {
  const object = trace.objects[o];
  const own = object.run || object.name;
  const called = object.called || [];
  if (called.length !== 1) return own;
  const several = trace.objects.some((other, i) => i !== o && (other.called || []).includes(called[0]));
  return several ? `${called[0]} (${own})` : called[0];
}

// stepText is what a step does, in the words of the source.
function stepText(step) {
  if (step.g < 0) return 'time passes';
  const s = site(step.site);
  if (data.recording) return !step.did ? s.text : s.kind === 'select' ? `[${step.did}] ${s.text}` : `${s.text}: ${step.did}`;
  return operationText(step, s) + (step.did ? ` (${step.did})` : '');
}

function operationText(step, s) {
  switch (s.kind) {
    case 'start': return 'start of the goroutine';
    case 'end': return 'return';
    case 'select': return '[' + step.case + '] ' + s.text;
    case 'statement': return 'access: ' + s.text;
    case 'store': return 'write: ' + s.text;
  }
  return s.text || s.kind;
}

// acts says who does a step, or an alternative to it.
const acts = (step) => (step.g < 0 ? '' : laneName(page.trace, step.g) + ' ') + stepText(step);

// waiting are the goroutines that wait for an object.
function waiting(trace, state, o) {
  return trace.goroutines.map((_, g) => g).filter((g) => {
    const s = state['g' + g];
    return s && s.is === 'waits' && (s.for || []).includes(o);
  });
}

// touches reports whether a step has to do with an object.
function touches(trace, step, o) {
  if (('o' + o) in (step.set || {}) || (step.on || []).includes(o)) return true;
  const s = trace.values[(step.set || {})['g' + step.g]];
  return Boolean(s && (s.for || []).includes(o));
}

// waitEdges are those of the wait-for graph: from a goroutine to what it waits for, and from that
// to who holds it. Those in a cycle are marked.
function waitEdges(trace, state) {
  const edges = [];
  const waits = [];
  trace.goroutines.forEach((_, g) => {
    const s = state['g' + g];
    if (s && s.is === 'waits') for (const o of s.for || []) waits.push({ from: 'g' + g, to: 'o' + o });
  });
  const wanted = new Set(waits.map((e) => e.to));
  for (const key of wanted) {
    const o = state[key] || {};
    for (const g of new Set([...(o.held || []), ...(o.reading || [])])) edges.push({ from: key, to: 'g' + g });
  }
  const all = waits.concat(edges);
  markCycles(all);
  return all;
}

// markCycles marks the edges that lead back to where they begin.
function markCycles(edges) {
  const next = new Map();
  for (const e of edges) next.set(e.from, (next.get(e.from) || []).concat(e.to));
  const reaches = (from, to) => {
    const seen = new Set([from]);
    const work = [from];
    while (work.length) {
      for (const n of next.get(work.pop()) || []) {
        if (n === to) return true;
        if (!seen.has(n)) { seen.add(n); work.push(n); }
      }
    }
    return false;
  };
  for (const e of edges) e.cycle = e.to === e.from || reaches(e.to, e.from);
}
