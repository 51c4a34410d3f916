// The state at the step, beside the diagram.

// Only so many rows of a table are shown, since each step draws them anew.
const MOST = 150;

function row(cells, properties) {
  return element('tr', properties || {}, ...cells.map((c) => (c instanceof HTMLTableCellElement ? c : element('td', {}, c))));
}

function headings(...names) {
  return element('tr', {}, ...names.map((n) => element('th', {}, n)));
}

// fill puts rows into a table, or says that there are none.
function fill(table, heads, rows, none) {
  const t = byID(table);
  if (!rows.length) {
    t.replaceChildren(row([element('span', { className: 'dim' }, none)]));
    return;
  }
  const shown = rows.slice(0, MOST);
  if (rows.length > MOST) shown.push(row([element('span', { className: 'dim' }, `and ${rows.length - MOST} more`)]));
  t.replaceChildren(headings(...heads), ...shown);
}

// behindShown reports whether a step, so many behind this one, has no state from the model.
const behindShown = (ahead) => page.step + (ahead || 0) > page.trace.shown;

const names = (gs) => (gs || []).map((g) => laneName(page.trace, g)).join(', ');

// does is the verb of a step.
function does(step) {
  if (step.queues) return 'waits in';
  if (data.model) return 'takes an';
  return { pre: 'begins', post: 'ends' }[step.phase] || 'does';
}

const panels = {
  draw() {
    const state = page.timeline.at(page.step);
    const step = page.step > 0 ? page.trace.steps[page.step - 1] : null;
    const changed = (step && step.set) || {};
    this.now(step);
    recordedPanels.draw(step);
    this.alternatives();
    this.goroutines(state, changed);
    this.source(state);
    this.channels(state, changed);
    this.locks(state, changed);
    this.waitgroups(state, changed);
    this.variables(state, changed);
    waits.draw(state);
    automaton.draw(state);
  },

  now(step) {
    const total = page.trace.skipped + page.trace.steps.length;
    if (!step) {
      byID('now').replaceChildren(page.trace.skipped ? `behind step ${page.trace.skipped} of ${total}, before which nothing is on this page` : 'before the first step');
      return;
    }
    const s = site(step.site);
    const said = [element('p', {}, `${page.trace.skipped + page.step} of ${total}: ${who(page.trace, step.g)} ${does(step)} ${s.kind || 'nothing'} ${place(s) ? 'at ' + place(s) : ''}`),
      element('p', { className: 'code' }, stepText(step))];
    if (data.recording) said.push(element('p', { className: 'dim' }, `operation ${step.pc} of ${who(page.trace, step.g)}`), ...recordedPanels.partners());
    if (behindShown()) said.push(element('p', { className: 'dim' }, 'Only what was observed is known here.'));
    byID('now').replaceChildren(...said);
  },

  alternatives() {
    // Those of the next step: what could be done here, and what is done.
    const next = page.trace.steps[page.step];
    const list = byID('alternatives');
    if (!next) {
      list.replaceChildren(element('li', { className: 'dim' }, 'the trace ends here'));
      return;
    }
    const items = [element('li', {}, `done next: ${acts(next)} `, element('span', { className: 'dim' }, place(site(next.site))))];
    for (const i of next.alt ? page.trace.alternativeSets[next.alt - 1] : []) {
      if (i < 0) {
        items.push(element('li', { className: 'dim' }, 'and others'));
        continue;
      }
      const a = page.trace.alternatives[i];
      const beside = a.with >= 0 ? `, with ${laneName(page.trace, a.with)}` : '';
      items.push(element('li', { className: 'alternative' }, `${acts(a)}${beside} `, element('span', { className: 'dim' }, place(site(a.site)))));
    }
    if (behindShown(1)) items.push(element('li', { className: 'dim' }, 'others are not known'));
    else if (items.length === 1) items.push(element('li', { className: 'dim' }, 'nothing else could be done'));
    list.replaceChildren(...items);
  },

  goroutines(state, changed) {
    const rows = [];
    page.trace.goroutines.forEach((lane, g) => {
      const s = state['g' + g];
      if (!s) return;
      const at = site(s.at);
      const shown = element('input', { type: 'checkbox', checked: !page.hidden.has(g), title: 'show the lane of ' + lane.name });
      shown.addEventListener('change', () => hide(g, !shown.checked));
      const button = element('button', { type: 'button', title: 'show its source and its automaton' }, lane.name);
      button.addEventListener('click', () => choose(g));
      const wait = (s.for || []).map((o) => objectShort(page.trace, o)).join(', ');
      const stands = { ready: 'at', waits: 'waits', past: 'was last at', ended: 'ended', panicked: 'panicked' }[s.is] || s.is;
      const gone = s.is === 'ended';
      rows.push(row([element('td', { className: 'narrow' }, shown, button),
        element('td', { className: 'is-' + s.is }, stands + (wait ? ' for ' + wait : ''), s.detail ? ` (${s.detail})` : ''),
        element('td', { className: 'narrow' }, gone ? '' : place(at)), element('td', { className: 'code' }, gone ? '' : at.text || '')],
      { 'data-goroutine': lane.name, 'aria-selected': String(g === page.goroutine), className: ('g' + g) in changed ? 'changed' : '' }));
    });
    fill('goroutines', ['', 'is', 'where', data.model ? 'location' : data.recording ? 'operation' : 'source line'], rows, 'none');
  },

  source(state) {
    const s = state['g' + page.goroutine];
    const at = s ? site(s.at) : null;
    const pre = byID('source');
    const file = at && data.files.find((f) => f.path === at.file);
    if (!at || !at.file) {
      pre.replaceChildren(who(page.trace, page.goroutine) + (s ? ' is at no line' : ' is not there'));
      return;
    }
    const lines = [element('span', { className: 'dim' }, `${who(page.trace, page.goroutine)}: ${place(at)}\n`)];
    if (!file) lines.push(element('span', { className: 'here' }, at.line + '\t' + at.text));
    else {
      for (let n = Math.max(file.from, at.line - 5); n <= Math.min(at.line + 5, file.from + file.lines.length - 1); n++) {
        const text = String(n).padStart(4) + '  ' + file.lines[n - file.from];
        lines.push(n === at.line ? element('span', { className: 'here' }, text) : text + '\n');
      }
    }
    pre.replaceChildren(...lines);
  },

  // objects calls a function for each object of some kinds that has a state.
  objects(kinds, state, changed, make) {
    const rows = [];
    page.trace.objects.forEach((object, o) => {
      const s = state['o' + o];
      const w = waiting(page.trace, state, o);
      if (!kinds.includes(object.kind) || (!s && !w.length)) return;
      const name = element('td', {}, objectName(page.trace, o), object.made ? element('span', { className: 'dim made' }, ` made at ${object.made}`) : '');
      rows.push(row([name, ...make(object, s || {}, w, o)], { 'data-object': object.name, className: ('o' + o) in changed ? 'changed' : '' }));
    });
    return rows;
  },

  channels(state, changed) {
    const rows = this.objects(['channel'], state, changed, (object, s, w, o) => {
      const queue = element('td', {});
      if (s.lost) queue.append(element('span', { className: 'value dim' }, `${(s.length || 0) - (s.queue || []).length} unknown`));
      const messages = data.recording && object.cap ? queued(page.trace, o, page.trace.skipped + page.step) : s.queue || [];
      for (const m of messages.slice(0, MOST)) {
        queue.append(element('span', { className: 'value', title: `sent by ${laneName(page.trace, m.by)} in step ${m.step}` }, m.text || '?'));
      }
      if (data.recording && (s.length || 0) > messages.length) queue.append(element('span', { className: 'value dim' }, `${s.length - messages.length} that nobody receives`));
      if (!queue.childNodes.length) queue.append(element('span', { className: 'dim' }, object.cap ? 'empty' : 'no buffer'));
      if (object.cap) queue.append(element('span', { className: 'dim' }, ` ${s.length || 0} of ${object.cap}`));
      return [queue, s.closed ? 'closed' : '', names(w)];
    });
    fill('channels', ['channel', 'queue', '', 'waiting'], rows, 'none');
  },

  locks(state, changed) {
    const rows = this.objects(['mutex', 'rwmutex', 'once', 'cond'], state, changed, (object, s, w) => {
      const held = names(s.held) + ((s.reading || []).length ? ' reading: ' + names(s.reading) : '');
      const done = object.kind === 'once' && s.count === 2 ? 'done' : '';
      return [held || done, names(w)];
    });
    fill('locks', ['lock', 'held by', 'waiting'], rows, 'none');
  },

  waitgroups(state, changed) {
    const rows = this.objects(['waitgroup'], state, changed, (_, s, w) => [String(s.count || 0), names(w)]);
    fill('waitgroups', ['wait group', 'counter', 'waiting'], rows, 'none');
  },

  // Those that goroutines share come first.
  variables(state, changed) {
    const rows = [[], []];
    page.trace.variables.forEach((v, i) => {
      const key = 'v' + i;
      if (!(key in state)) return;
      const owner = (v.goroutines || []).length ? names(v.goroutines) : v.process;
      rows[v.process ? 1 : 0].push(row([v.name + (v.process ? ` of ${owner}` : ''), String(state[key])], { 'data-variable': v.name, className: key in changed ? 'changed' : '' }));
    });
    fill('variables', ['variable of the model', 'value'], rows.flat(), behindShown() ? 'not known' : 'the model keeps none');
  },
};

// waits draws who waits for what, and who holds it.
const waits = {
  draw(state) {
    const edges = waitEdges(page.trace, state);
    const end = page.step === page.trace.steps.length;
    const seen = end && page.trace.seen ? ', as the run has shown it' : '';
    byID('waits-title').textContent = 'Wait-for graph ' + (end ? 'at the end' + seen : 'at this step');
    const nodes = [...new Set(edges.flatMap((e) => [e.from, e.to]))];
    const box = byID('waits');
    if (!edges.length) box.replaceChildren(element('span', { className: 'dim' }, 'nobody waits'));
    else if (nodes.length > 60) box.replaceChildren(element('span', { className: 'dim' }, `${nodes.length} goroutines and objects: too many to draw`));
    else box.replaceChildren(this.picture(nodes, edges));
  },

  picture(nodes, edges) {
    const width = 410;
    const radius = Math.max(60, nodes.length * 16);
    const height = nodes.length < 4 ? 90 + nodes.length * 30 : 2 * radius + 60;
    const middle = { x: width / 2, y: height / 2 };
    const at = new Map(nodes.map((n, i) => {
      const angle = (2 * Math.PI * i) / nodes.length - Math.PI / 2;
      return [n, { x: middle.x + Math.min(140, radius + 60) * Math.cos(angle), y: middle.y + (height / 2 - 22) * Math.sin(angle) }];
    }));
    const svg = drawn('svg', { width, height, role: 'img', 'aria-label': 'wait-for graph' }, tips(['link', 'link cycle']));
    for (const e of edges) svg.append(this.edge(at.get(e.from), at.get(e.to), e));
    for (const n of nodes) svg.append(this.node(n, at.get(n), edges.some((e) => e.cycle && (e.from === n || e.to === n))));
    return svg;
  },

  edge(a, b, e) {
    const dx = b.x - a.x, dy = b.y - a.y, length = Math.hypot(dx, dy) || 1;
    const cut = Math.min(length / 2 - 4, Math.min(66 / (Math.abs(dx / length) || 0.001), 15 / (Math.abs(dy / length) || 0.001)));
    const u = { x: (dx / length) * cut, y: (dy / length) * cut };
    const kind = e.cycle ? 'link cycle' : 'link';
    const what = e.from.startsWith('g') ? 'waits for' : 'held by';
    return drawn('path', {
      class: kind, d: `M${a.x + u.x},${a.y + u.y} L${b.x - u.x},${b.y - u.y}`, 'marker-end': `url(#tip-${kind.replace(' ', '-')})`,
      'data-from': this.called(e.from), 'data-to': this.called(e.to), 'data-cycle': String(Boolean(e.cycle)),
    }, drawn('title', {}, what));
  },

  called(n) {
    const i = Number(n.slice(1));
    return n.startsWith('g') ? page.trace.goroutines[i].name : page.trace.objects[i].run || page.trace.objects[i].name;
  },

  node(n, p, cycle) {
    const i = Number(n.slice(1));
    const goroutine = n.startsWith('g');
    const text = goroutine ? page.trace.goroutines[i].name : objectShort(page.trace, i);
    const made = goroutine ? '' : page.trace.objects[i].made;
    const title = goroutine ? who(page.trace, i) : objectName(page.trace, i) + (made ? ', made at ' + made : '');
    return drawn('g', { class: 'wait-node' },
      drawn('rect', { class: 'node' + (goroutine ? '' : ' object') + (cycle ? ' cycle' : ''), x: p.x - 62, y: p.y - 13, width: 124, height: 26, rx: goroutine ? 4 : 13 }),
      label(p.x, p.y + 4, 'middle', clipped(text, 112), title));
  },
};

// automaton draws that of the chosen goroutine, once for each, and marks where it is.
const automaton = {
  drawn: null, // the trace and goroutine of the picture

  draw(state) {
    const box = byID('automaton');
    const lane = page.trace.goroutines[page.goroutine];
    const a = lane && lane.automaton >= 0 ? data.automata[lane.automaton] : null;
    byID('automaton-title').textContent = 'Automaton' + (lane ? ` of ${laneWord} ${lane.name}` : '') + (a ? `: ${a.name}` : '');
    if (!a) {
      box.replaceChildren(element('span', { className: 'dim' }, 'there is none'));
      this.drawn = null;
      return;
    }
    if (this.drawn !== a) {
      box.replaceChildren(this.picture(a));
      this.drawn = a;
    }
    const s = state['g' + page.goroutine];
    this.mark(box, s && s.location ? s.location - 1 : -1);
  },

  mark(box, location) {
    for (const e of box.querySelectorAll('.here')) e.classList.remove('here');
    const node = box.querySelector(`[data-location="${location}"] .node`);
    if (!node) return;
    node.classList.add('here');
    const y = Number(node.getAttribute('y'));
    if (y < box.scrollTop || y + 40 > box.scrollTop + box.clientHeight) box.scrollTop = Math.max(0, y - 60);
    const x = Number(node.getAttribute('x'));
    if (x < box.scrollLeft || x + 160 > box.scrollLeft + box.clientWidth) box.scrollLeft = Math.max(0, x - 60);
  },

  picture(a) {
    // The coordinates are those of the model, which leaves room for the texts of edges.
    const scale = 0.62;
    const xs = a.locations.map((l) => l.x), ys = a.locations.map((l) => l.y);
    const left = Math.min(...xs), top = Math.min(...ys);
    const at = a.locations.map((l) => ({ x: (l.x - left) * scale + 100, y: (l.y - top) * scale + 24 }));
    const width = (Math.max(...xs) - left) * scale + 220, height = (Math.max(...ys) - top) * scale + 60;
    const svg = drawn('svg', { width, height, role: 'img', 'aria-label': 'automaton ' + a.name }, tips(['link']));
    for (const e of a.edges) svg.append(this.edge(e, at));
    a.locations.forEach((l, i) => svg.append(this.node(a, l, i, at[i])));
    return svg;
  },

  edge(e, at) {
    const a = at[e.from], b = at[e.to];
    const what = [e.guard && 'guard: ' + e.guard, e.sync && 'synchronises: ' + e.sync, e.update && 'does: ' + e.update].filter(Boolean).join('\n') || 'always';
    const down = b.y >= a.y ? 1 : -1;
    const d = a === b || Math.abs(a.y - b.y) < 2
      ? `M${a.x},${a.y + 12} q${(b.x - a.x) / 2 || 90},50 ${b.x - a.x},0`
      : down > 0 ? `M${a.x},${a.y + 12} L${b.x},${b.y - 12}` : `M${a.x + 60},${a.y} C${a.x + 130},${a.y} ${b.x + 130},${b.y} ${b.x + 62},${b.y}`;
    return drawn('path', { class: 'link', d, 'marker-end': 'url(#tip-link)' }, drawn('title', {}, what));
  },

  node(a, l, i, p) {
    const s = site(l.site);
    const text = l.end || (s.kind ? s.kind + (s.line ? ' ' + s.line : '') : l.name);
    return drawn('g', { 'data-location': i, 'data-name': l.name },
      drawn('rect', { class: 'node', x: p.x - 62, y: p.y - 12, width: 124, height: 24, rx: i === a.initial ? 4 : 12 }),
      label(p.x, p.y + 4, 'middle', clipped(text, 116), [l.name, place(s), s.text].filter(Boolean).join('\n')));
  },
};
