// The sequence diagram: a lane for each goroutine, a row for each step. Only the rows and lanes that
// can be seen are drawn.

const ROW = 28, HEAD = 46, GUTTER = 170, LANE = 236, BOX = 186;
const arrowKinds = ['message', 'lock', 'create', 'wake', 'read'];

const diagram = {
  // lanes are the goroutines that are shown, in order.
  lanes() {
    return page.trace.goroutines.map((_, g) => g).filter((g) => !page.hidden.has(g));
  },

  resize() {
    const canvas = byID('canvas');
    canvas.style.width = GUTTER + this.lanes().length * LANE + 'px';
    canvas.style.height = HEAD + (page.trace.steps.length + 1) * ROW + 'px';
  },

  shown: { key: '' }, // the picture that is there, with what it depends on

  // draw draws what can be seen now. Where only the step is another one, its mark is moved.
  draw() {
    const box = byID('diagram');
    const view = {
      left: box.scrollLeft, top: box.scrollTop,
      width: Math.max(box.clientWidth, 100), height: Math.max(box.clientHeight, 100),
    };
    const key = [page.finding, ...Object.values(view), [...page.hidden].join(), page.object, page.found.join()].join(' ');
    if (key !== this.shown.key) {
      this.shown = { key, svg: this.picture(view), top: view.top };
      byID('canvas').replaceChildren(this.shown.svg);
    }
    this.mark(this.shown);
  },

  // mark marks the step and the goroutine that are looked at.
  mark(shown) {
    for (const row of shown.svg.querySelectorAll('.current')) row.setAttribute('y', HEAD + (page.step - 1) * ROW - shown.top);
    for (const head of shown.svg.querySelectorAll('.lane-head')) {
      head.firstChild.classList.toggle('chosen', head.dataset.goroutine === laneName(page.trace, page.goroutine));
    }
    if (!data.recording) return;
    const possible = possibleSteps(page.trace.steps[page.step - 1]);
    for (const step of shown.svg.querySelectorAll('.step')) step.classList.toggle('possible', possible.has(step.dataset.step));
  },

  // picture draws a part of the whole diagram.
  picture(view) {
    const lanes = this.lanes();
    const svg = drawn('svg', { width: view.width, height: view.height, role: 'img', 'aria-label': 'sequence diagram' }, tips(arrowKinds));
    const first = Math.max(0, Math.floor((view.top) / ROW) - 1);
    const last = Math.min(page.trace.steps.length, Math.ceil((view.top + view.height - HEAD) / ROW));
    const from = Math.max(0, Math.floor((view.left - GUTTER) / LANE));
    const to = Math.min(lanes.length, Math.ceil((view.left + view.width - GUTTER) / LANE));
    const x = new Map(lanes.map((g, i) => [g, GUTTER + i * LANE + LANE / 2 - view.left]));
    const y = (row) => HEAD + (row - 0.5) * ROW - view.top; // of a step from 1
    const part = { lanes: lanes.slice(from, to), x, y, first, last, width: view.width, height: view.height };
    svg.append(this.marks(part, view.width), this.lines(part), this.arrows(part), this.boxes(part), this.gutter(part), this.heads(part));
    return svg;
  },

  // marks are the backgrounds of rows: of the step, whose place mark gives, and of what was found.
  marks(part, width) {
    const out = drawn('g', {}, drawn('rect', { class: 'row current', x: 0, y: -ROW, width, height: ROW }));
    for (let row = part.first + 1; row <= part.last; row++) {
      if (page.matches.has(row)) out.append(drawn('rect', { class: 'row match', x: 0, y: part.y(row) - ROW / 2, width, height: ROW }));
    }
    return out;
  },

  // gutter has the numbers and places of steps, on the left of what can be seen.
  gutter(part) {
    const out = drawn('g', {}, drawn('rect', { class: 'cover', x: 0, y: 0, width: GUTTER, height: part.height }), this.marks(part, GUTTER));
    for (let row = part.first + 1; row <= part.last; row++) {
      const number = page.trace.skipped + row, where = place(site(page.trace.steps[row - 1].site)), y = part.y(row) + 4;
      const line = drawn('g', { 'data-row': number }, label(44, y, 'end dim', String(number)), label(52, y, 'dim', clipped(where, GUTTER - 56), where));
      line.addEventListener('click', () => goTo(number));
      out.append(line);
    }
    return out;
  },

  // lines are the lanes: from where a goroutine is started to where it ends.
  lines(part) {
    const out = drawn('g', {});
    const steps = page.trace.steps;
    const state = Object.assign({}, page.timeline.at(part.first));
    const open = new Map();
    const close = (g, row) => {
      const o = open.get(g);
      if (o && row > o.row) {
        out.append(drawn('line', { class: 'lane ' + o.is, x1: part.x.get(g), x2: part.x.get(g), y1: part.y(o.row), y2: part.y(row) }));
      }
    };
    for (let row = part.first; row <= part.last; row++) {
      if (row > part.first) change(state, steps[row - 1].set, page.trace.values);
      for (const g of part.lanes) {
        const s = state['g' + g];
        const is = s && s.is !== 'ended' ? s.is : '';
        const o = open.get(g);
        if (o ? o.is === is : is === '') continue;
        close(g, row);
        if (is) open.set(g, { row, is });
        else open.delete(g);
      }
    }
    for (const g of part.lanes) close(g, part.last + 0.5);
    return out;
  },

  boxes(part) {
    const out = drawn('g', {});
    const steps = page.trace.steps;
    const named = new Set((data.findings[page.finding] || {}).steps);
    for (let row = part.first + 1; row <= part.last; row++) {
      const step = steps[row - 1];
      const other = page.object >= 0 && !touches(page.trace, step, page.object) ? ' other' : '';
      const number = page.trace.skipped + row;
      const g = drawn('g', { class: 'step' + other + (named.has(number) ? ' named' : ''), 'data-step': number });
      const y = part.y(row);
      if (step.g >= 0 && part.lanes.includes(step.g)) {
        const x = part.x.get(step.g);
        const text = stepText(step);
        g.append(drawn('rect', { class: 'box' + (step.queues ? ' queues' : ''), x: x - BOX / 2, y: y - 10, width: BOX, height: 20, rx: 3 }),
          label(x - BOX / 2 + 6, y + 4, 'code', clipped(text, BOX - 12), text + (step.queues ? ' (waits)' : '')));
      } else if (step.g < 0) {
        g.append(label(GUTTER + 8, y + 4, 'dim', 'time passes'));
      }
      g.addEventListener('click', () => goTo(number));
      out.append(g);
    }
    return out;
  },

  arrows(part) {
    const out = drawn('g', {});
    for (const a of page.trace.arrows) {
      const from = a.fromStep - page.trace.skipped, to = a.toStep - page.trace.skipped;
      if (to < part.first || from > part.last + 1) continue;
      if (!part.x.has(a.from) || !part.x.has(a.to)) continue;
      if (!part.lanes.includes(a.from) && !part.lanes.includes(a.to)) continue;
      out.append(this.arrow(part, a, Math.max(from, 0), to));
    }
    return out;
  },

  arrow(part, a, from, to) {
    const x1 = part.x.get(a.from), x2 = part.x.get(a.to);
    const side = x2 > x1 ? 1 : -1;
    const begin = x1 + side * BOX / 2;
    // Who is started or woken has no box in this row, so that the tip is at its lane.
    const boxed = page.trace.steps[to - 1] && page.trace.steps[to - 1].g === a.to;
    const end = x2 - side * (boxed ? BOX / 2 : 0);
    const y1 = part.y(from), y2 = part.y(to);
    const other = page.object >= 0 && a.object !== page.object ? ' other' : '';
    const what = a.kind + (a.object >= 0 ? ' ' + objectName(page.trace, a.object) : '') + (a.text ? ': ' + a.text : '');
    const g = drawn('g', { class: 'drawn-arrow' + other, 'data-kind': a.kind, 'data-from': laneName(page.trace, a.from), 'data-to': laneName(page.trace, a.to) });
    g.append(drawn('path', { class: 'arrow ' + a.kind, d: `M${begin},${y1} L${end},${y2}`, 'marker-end': `url(#tip-${a.kind})` }, drawn('title', {}, what)));
    const text = a.kind === 'message' ? a.text : a.kind === 'lock' ? objectShort(page.trace, a.object) : '';
    // At the tip there is nothing else, but for arrows that end there, too.
    if (text) g.append(label(end - side * 12, y2 - 4, (side > 0 ? 'end ' : '') + a.kind, clipped(text, 120), what));
    return g;
  },

  heads(part) {
    const out = drawn('g', {}, drawn('rect', { class: 'cover', x: 0, y: 0, width: part.width, height: HEAD - 8 }));
    const corner = drawn('rect', { class: 'cover', x: 0, y: 0, width: GUTTER, height: HEAD - 8 });
    for (const g of part.lanes) {
      const x = part.x.get(g), lane = page.trace.goroutines[g];
      const by = lane.by >= 0 ? 'by ' + laneName(page.trace, lane.by) + (lane.site >= 0 ? ' at ' + place(site(lane.site)) : '') : data.model ? (data.automata[lane.automaton] || { name: '' }).name : data.recording ? '' : 'entry';
      const s = [lane.func, by].filter(Boolean).join(', ');
      const head = drawn('g', { class: 'lane-head', 'data-goroutine': lane.name });
      head.append(drawn('rect', { class: 'head', x: x - BOX / 2, y: 3, width: BOX, height: 34, rx: 4 }),
        label(x, 17, 'middle', lane.name), label(x, 31, 'middle dim', clipped(s, BOX - 8, 6.5), s));
      head.addEventListener('click', () => choose(g));
      out.append(head);
    }
    out.append(corner);
    return out;
  },

  // reveal scrolls so that the step can be seen.
  reveal() {
    const box = byID('diagram');
    const top = (page.step - 1) * ROW, bottom = top + ROW + HEAD;
    const height = box.clientHeight;
    if (top < box.scrollTop + ROW) box.scrollTop = Math.max(0, top - height / 3);
    else if (bottom > box.scrollTop + height - ROW) box.scrollTop = bottom - height * 2 / 3;
    const step = page.trace.steps[page.step - 1];
    const lane = step ? this.lanes().indexOf(step.g) : -1;
    if (lane < 0) return;
    const left = lane * LANE, right = GUTTER + left + LANE;
    if (left < box.scrollLeft) box.scrollLeft = left;
    else if (right > box.scrollLeft + box.clientWidth) box.scrollLeft = right - box.clientWidth;
  },

  // file is the whole diagram as an SVG document.
  file() {
    const whole = { left: 0, top: 0, width: GUTTER + this.lanes().length * LANE, height: HEAD + (page.trace.steps.length + 1) * ROW };
    const svg = this.picture(whole);
    this.mark({ svg, top: 0 });
    svg.setAttribute('viewBox', `0 0 ${whole.width} ${whole.height}`);
    svg.prepend(drawn('style', {}, drawingStyle()));
    svg.prepend(drawn('title', {}, document.title));
    return '<?xml version="1.0" encoding="utf-8"?>\n' + new XMLSerializer().serializeToString(svg);
  },
};

// drawingStyle is the style of drawings, which assets/drawing.css has, with the colours that the page
// has now.
function drawingStyle() {
  const computed = getComputedStyle(document.documentElement);
  const rules = [...document.styleSheets[0].cssRules].map((rule) => rule.cssText);
  return rules.slice(rules.findIndex((text) => text.startsWith('svg {'))).join('\n')
    .replace(/var\((--[a-z]+)\)/g, (_, v) => computed.getPropertyValue(v).trim());
}
