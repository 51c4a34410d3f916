// What the page of a recorded run has beside the steps: vector clocks, partners, and what could have been.

// setAll sets the components of a clock; pairs are goroutines and components, in one list.
function setAll(clock, pairs) {
  for (let i = 0; i + 1 < (pairs || []).length; i += 2) clock.set(pairs[i], pairs[i + 1]);
}

// clocksOf are the clocks before and behind the operation of a row; null is one that is not known here.
function clocksOf(trace, row) {
  const step = trace.steps[row - 1];
  const clock = new Map();
  setAll(clock, trace.clocks[step.g]);
  let pre = null;
  for (const s of trace.steps.slice(0, row)) {
    if (s.g !== step.g) continue;
    setAll(clock, s.pre);
    if (s.phase !== 'post') clock.set(trace.goroutines[s.g].number, s.pc);
    if (s.pc === step.pc && s.phase !== 'post') pre = new Map(clock);
    setAll(clock, s.post);
  }
  return { pre, post: step.phase === 'pre' ? null : clock };
}

// operationSteps are the numbers of steps by their operations, of one trace.
const operationSteps = { of: null, steps: null };

// stepOf is the number of the step that ends an operation, or begins one that has no end; 0 if it is not
// on the page.
function stepOf(trace, g, pc) {
  if (operationSteps.of !== trace) {
    operationSteps.of = trace;
    operationSteps.steps = new Map(trace.steps.map((s, i) => [laneName(trace, s.g) + '.' + s.pc, trace.skipped + i + 1]));
  }
  return operationSteps.steps.get(g + '.' + pc) || 0;
}

// leading is a button that goes to a step.
function leading(text, number) {
  const button = element('button', { type: 'button', title: 'go to step ' + number, 'data-to': number }, text);
  button.addEventListener('click', () => goTo(number));
  return button;
}

// operationAt is what to call an operation of a goroutine: a button, if it is on the page.
function operationAt(g, pc) {
  const number = stepOf(page.trace, g, pc);
  if (!number) return `operation ${pc} of goroutine ${g}, not on this page`;
  const s = site(page.trace.steps[number - 1 - page.trace.skipped].site);
  return leading([`goroutine ${g}: ${s.text}`, place(s)].filter(Boolean).join(' at '), number);
}

// queued are the messages in the buffer of a channel behind a step, the next one first, as far as they are received.
function queued(trace, o, number) {
  const arrows = trace.arrows.filter((a) => a.kind === 'message' && a.object === o && a.fromStep <= number && a.toStep > number);
  return arrows.sort((a, b) => a.toStep - b.toStep).map((a) => {
    const s = trace.steps[a.fromStep - 1 - trace.skipped];
    return { text: laneName(trace, a.from) + '.' + (s ? s.pc : '?'), by: a.from, step: a.fromStep };
  });
}

const possibleWords = {
  AC: 'could have been with', ASC: 'was not taken, and could have been with', DR: 'has no end, and could have been with', MP: 'competes with',
};

const meetings = {
  message: ['its value is from', 'its value goes to'], lock: ['the lock was given back by', 'the lock is next taken by'],
  create: ['', 'starts'], wake: ['it is let go on by', 'it lets go on'], read: ['the value was stored by', 'the value is read by'],
};

const recordedPanels = {
  draw(step) {
    if (!data.recording) return;
    this.clocks(step);
    this.possible(step);
  },

  // partners are whom a step has met.
  partners() {
    const number = page.trace.skipped + page.step;
    const items = [];
    for (const a of page.trace.arrows) {
      if (a.toStep === number && a.kind !== 'create') items.push([meetings[a.kind][0], a.from, a.fromStep]);
      if (a.fromStep === number) items.push([meetings[a.kind][1], a.to, a.toStep]);
    }
    return items.slice(0, MOST).map(([text, g, to]) => {
      const there = to > page.trace.skipped && to <= page.trace.skipped + page.trace.steps.length && to !== number;
      return element('p', { className: 'partner' }, text + ' ', there ? leading(`goroutine ${laneName(page.trace, g)} in step ${to}`, to) : `goroutine ${laneName(page.trace, g)}`);
    });
  },

  clocks(step) {
    if (!step || !page.trace.clocks) {
      fill('clocks', [], [], step ? 'the page has none' : 'no step is chosen');
      return;
    }
    const { pre, post } = clocksOf(page.trace, page.step);
    const known = new Set([...(pre || []), ...(post || [])].map(([g]) => g));
    const component = (clock, g) => (clock ? String(clock.get(g) || 0) : '-');
    const rows = [...known].sort((a, b) => a - b).map((g) => {
      const learnt = pre && post && (pre.get(g) || 0) !== (post.get(g) || 0);
      return row([`goroutine ${g}`, component(pre, g), component(post, g)], { 'data-component': g, className: learnt ? 'changed' : '' });
    });
    fill('clocks', ['component', 'before', post ? 'behind' : 'behind: it has no end here'], rows, 'none');
  },

  possible(step) {
    const list = byID('possible');
    const items = ((step && step.may) || []).map((p) => {
      const item = element('li', { 'data-code': p.c }, element('span', { className: 'dim', title: 'docs/analyses.md' }, p.c + ' '), [p.case, possibleWords[p.c]].filter(Boolean).join(' ') + ' ');
      for (let i = 0; i < p.at.length; i += 2) item.append(element('div', {}, operationAt(p.at[i], p.at[i + 1])));
      if (p.n > p.at.length / 2) item.append(element('div', { className: 'dim' }, `and ${p.n - p.at.length / 2} more`));
      return item;
    });
    list.replaceChildren(...(items.length ? items : [element('li', { className: 'dim' }, step && step.phase === 'post' ? 'see where it begins' : 'nothing else')]));
  },
};

// possibleSteps are the steps that could have been beside a step.
function possibleSteps(step) {
  const out = new Set();
  for (const p of (step && step.may) || []) {
    for (let i = 0; p.c !== 'MP' && i < p.at.length; i += 2) out.add(String(stepOf(page.trace, p.at[i], p.at[i + 1])));
  }
  return out;
}
