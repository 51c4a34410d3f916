// What the page does: which finding, step, goroutine and object are shown, and the keys.

const page = {
  finding: -1, trace: null, timeline: null, step: 0, goroutine: 0,
  object: -1, // that steps are filtered by
  hidden: new Set(), // lanes
  matches: new Set(), found: [], // rows that the search has found, from 1
  texts: null, // of the rows, for the search
};

const noTrace = { finding: -1, from: 'model', notes: [], goroutines: [], objects: [], variables: [], skipped: 0, start: {}, steps: [], arrows: [], values: [], alternatives: [], alternativeSets: [], shown: 0 };

// Findings.

function listed() {
  const verdict = byID('filter-verdict').value, kind = byID('filter-kind').value, text = byID('filter-text').value.toLowerCase();
  return data.findings.map((_, i) => i).filter((i) => {
    const f = data.findings[i];
    const all = [f.message, f.cause, f.file && f.file + ':' + f.line, f.kind, f.func].join(' ').toLowerCase();
    return (!verdict || f.verdict === verdict) && (!kind || f.kind === kind) && all.includes(text);
  });
}

function drawFindings() {
  const shown = listed();
  byID('findings-count').textContent = shown.length === data.findings.length ? String(shown.length) : `${shown.length} of ${data.findings.length}`;
  byID('findings').replaceChildren(...shown.map((i) => {
    const f = data.findings[i];
    const button = element('button', { type: 'button', 'data-finding': f.number, 'aria-current': String(i === page.finding) },
      element('span', { className: 'verdict ' + (['real', 'false', 'error'].includes(f.verdict) ? f.verdict : '') }, `${f.number}. ${f.verdict}`), ` ${f.kind}`,
      element('br', {}), element('span', { className: 'dim' }, f.file ? `${f.file}:${f.line}` : ''), f.trace < 0 ? ' (no steps)' : data.recording && !f.steps ? ' (not on this page)' : '');
    button.addEventListener('click', () => { show(i, lastStep(i)); });
    return element('li', {}, button);
  }));
}

// lastStep is where a finding has come about: behind all steps, or, in a recorded run, the last one that it is about.
function lastStep(i) {
  const f = data.findings[i];
  if (f && f.steps) return Math.max(...f.steps);
  return f && f.trace >= 0 ? data.traces[f.trace].skipped + data.traces[f.trace].steps.length : 0;
}

function drawAbout() {
  const f = data.findings[page.finding];
  const about = byID('about');
  if (!f) {
    about.replaceChildren(element('p', { className: 'dim' }, data.recording ? 'The analysis has found nothing.' : 'The bundle has no findings.'), ...(data.recording ? aboutSteps() : []));
    return;
  }
  const parts = [element('h2', {}, data.model ? 'Trace' : `Finding ${f.number}`), element('p', {}, f.message)];
  for (const text of [f.cause, f.func && 'in ' + f.func, f.category && 'category: ' + f.category, f.reason, ...(f.facts || [])]) {
    if (text) parts.push(element('p', {}, text));
  }
  if (f.objects) {
    parts.push(element('p', {}, 'objects, and where they were made:'));
    parts.push(element('ul', { id: 'made' }, ...f.objects.map((o) => element('li', {}, `${o.name} at ${o.file}:${o.line}: `, element('span', { className: 'code' }, o.text || '')))));
  }
  if (f.reproduce) parts.push(element('p', { className: 'code' }, f.reproduce));
  if (f.trace >= 0) parts.push(...aboutSteps());
  about.replaceChildren(...parts);
}

// aboutSteps says where the steps come from, and what is not known of them.
function aboutSteps() {
  const from = data.recording ? 'The steps are those of the recorded run. Between goroutines the order is known by their partners only: this is one that fits, and need not be that of the run.'
    : page.trace.from === 'run' ? 'The steps are those of a run of the program; what is beside them comes from the model, followed along them, and at the end from the run.'
    : data.model ? 'The steps are those of the trace; each is one that the model can do.' : 'The steps are those of the model: no run has shown them.';
  const parts = [element('p', { className: 'dim' }, from)];
  for (const n of page.trace.notes) parts.push(element('p', { className: 'note' }, n));
  if (page.trace.skipped) parts.push(element('p', { className: 'note' }, `The first ${page.trace.skipped} steps are not on this page, which would be too large.`));
  return parts;
}

// show goes to a step of a finding.
function show(finding, number) {
  if (finding !== page.finding) {
    page.finding = finding;
    const f = data.findings[finding];
    const trace = data.recording ? data.traces[0] : f && f.trace >= 0 ? data.traces[f.trace] : noTrace;
    if (trace !== page.trace) showTrace(trace);
    drawAbout();
    drawFindings();
  }
  goTo(number);
}

// showTrace shows another trace, from its beginning.
function showTrace(trace) {
  Object.assign(page, { trace, timeline: new Timeline(trace), object: -1, hidden: new Set(), texts: null, step: 0, goroutine: 0 });
  drawObjects();
  diagram.resize();
  byID('slider').max = trace.steps.length;
  search();
}

// goTo goes to a step by its number; 0 is the beginning.
function goTo(number) {
  page.step = Math.max(0, Math.min(page.trace.steps.length, number - page.trace.skipped));
  const step = page.trace.steps[page.step - 1];
  if (step && step.g >= 0) page.goroutine = step.g;
  if (page.step === page.trace.steps.length) causeGoroutine();
  draw();
  link();
}

// causeGoroutine chooses the goroutine that the cause of the finding speaks of, which is stuck at its place.
function causeGoroutine() {
  const f = data.findings[page.finding];
  const g = f && f.goroutine ? page.trace.goroutines.findIndex((lane) => lane.name === f.goroutine) : -1;
  if (g >= 0) page.goroutine = g;
}

const move = (by) => goTo(page.trace.skipped + page.step + by);

// draw draws all that depends on the step.
function draw() {
  byID('slider').value = page.step;
  byID('position').textContent = `${page.trace.skipped + page.step} / ${page.trace.skipped + page.trace.steps.length}`;
  diagram.reveal();
  diagram.draw();
  panels.draw();
}

// choose shows the source and the automaton of a goroutine.
function choose(g) {
  page.goroutine = g;
  diagram.draw();
  panels.draw();
}

function hide(g, hidden) {
  if (hidden) page.hidden.add(g);
  else page.hidden.delete(g);
  diagram.resize();
  diagram.draw();
}

function showLanes() {
  page.hidden.clear();
  diagram.resize();
  draw();
}

function drawObjects() {
  const options = [element('option', { value: '-1' }, 'all')];
  page.trace.objects.forEach((_, o) => options.push(element('option', { value: String(o) }, objectName(page.trace, o))));
  byID('filter-object').replaceChildren(...options);
}

// Search.

function search() {
  const wanted = byID('search').value.trim().toLowerCase();
  page.found = [];
  if (wanted) {
    if (!page.texts) page.texts = page.trace.steps.map((s) => [laneName(page.trace, s.g), stepText(s), place(site(s.site)), site(s.site).kind].join(' ').toLowerCase());
    page.texts.forEach((t, i) => { if (t.includes(wanted)) page.found.push(i + 1); });
  }
  page.matches = new Set(page.found);
  sayFound();
}

function sayFound() {
  const i = page.found.indexOf(page.step);
  byID('found').textContent = byID('search').value.trim() ? `${i < 0 ? '' : i + 1 + ' of '}${page.found.length} steps` : '';
}

// nextMatch goes to the next step that was found, or the one before.
function nextMatch(back) {
  if (!page.found.length) return;
  const ahead = back ? page.found.filter((r) => r < page.step).pop() : page.found.find((r) => r > page.step);
  goTo(page.trace.skipped + (ahead || (back ? page.found[page.found.length - 1] : page.found[0])));
  sayFound();
}

// Links: "#finding-2/step-7".

let linking = 0;

// link puts the place into the address. Browsers let a page do that only so often.
function link() {
  clearTimeout(linking);
  linking = setTimeout(() => {
    const f = data.findings[page.finding];
    const step = `step-${page.trace.skipped + page.step}`;
    if (f || data.recording) history.replaceState(null, '', f ? `#finding-${f.number}/${step}` : '#' + step);
  }, 120);
}

// follow goes to where the address leads; false if it leads nowhere.
function follow() {
  const alone = /^#step-(\d+)$/.exec(location.hash);
  if (alone && data.recording) {
    show(data.findings.length ? Math.max(page.finding, 0) : -2, Number(alone[1]));
    return true;
  }
  const m = /^#finding-(\d+)(?:\/step-(\d+))?$/.exec(location.hash);
  const i = m ? data.findings.findIndex((f) => f.number === Number(m[1])) : -1;
  if (i < 0) return false;
  show(i, m[2] === undefined ? lastStep(i) : Number(m[2]));
  return true;
}

// What buttons and keys do.

function toggleTheme() {
  const root = document.documentElement;
  root.dataset.theme = root.dataset.theme === 'dark' ? 'light' : 'dark';
}

function exportDiagram() {
  const f = data.findings[page.finding];
  const url = URL.createObjectURL(new Blob([diagram.file()], { type: 'image/svg+xml' }));
  element('a', { href: url, download: `finding-${f ? f.number : 0}.svg` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

function nextFinding(by) {
  const shown = listed();
  if (!shown.length) return;
  const i = shown.indexOf(page.finding);
  const next = shown[(i + by + shown.length) % shown.length];
  show(next, lastStep(next));
}

function nextGoroutine(by) {
  const n = page.trace.goroutines.length;
  if (n) choose((page.goroutine + by + n) % n);
}

const keys = [
  [['ArrowRight', 'l'], 'right, l', 'one step forward', () => move(1)],
  [['ArrowLeft', 'h'], 'left, h', 'one step back', () => move(-1)],
  [['PageDown'], 'page down', 'ten steps forward', () => move(10)],
  [['PageUp'], 'page up', 'ten steps back', () => move(-10)],
  [['Home'], 'home', 'to the beginning', () => goTo(0)],
  [['End'], 'end', 'to the end', () => move(Infinity)],
  [['n'], 'n', 'next finding', () => nextFinding(1)],
  [['p'], 'p', 'finding before', () => nextFinding(-1)],
  [['j', 'ArrowDown'], 'down, j', 'source and automaton of the next goroutine', () => nextGoroutine(1)],
  [['k', 'ArrowUp'], 'up, k', 'of the goroutine before', () => nextGoroutine(-1)],
  [['x'], 'x', 'hide the lane of that goroutine, or show it', () => hide(page.goroutine, !page.hidden.has(page.goroutine))],
  [['a'], 'a', 'show all lanes', showLanes],
  [['/'], '/', 'search; Enter and Shift+Enter go to what was found', () => byID('search').select()],
  [['f'], 'f', 'filter the findings', () => byID('filter-verdict').focus()],
  [['o'], 'o', 'filter the steps by an object', () => byID('filter-object').focus()],
  [['e'], 'e', 'write the diagram as an SVG file', exportDiagram],
  [['t'], 't', 'dark or light', toggleTheme],
  [['?'], '?', 'this list', () => byID('help').showModal()],
  [['Escape'], 'escape', 'leave a field', () => document.activeElement.blur()],
];

const handlers = new Map(keys.flatMap(([codes, , , run]) => codes.map((c) => [c, run])));

// typing reports whether a key is meant for a field.
function typing(event) {
  const t = event.target;
  if (event.key === 'Escape') return false;
  if (t.tagName === 'SELECT') return true;
  if (t.tagName !== 'INPUT') return false;
  if (t.type === 'search') return true;
  return t.type === 'range' && /^(Arrow|Page|Home|End)/.test(event.key);
}

function pressed(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || byID('help').open || typing(event)) return;
  const run = handlers.get(event.key);
  if (!run) return;
  event.preventDefault();
  run();
}

function options(id, values) {
  byID(id).replaceChildren(element('option', { value: '' }, 'all'), ...[...new Set(values)].sort().map((v) => element('option', { value: v }, v)));
}

function listen() {
  const on = (id, event, run) => byID(id).addEventListener(event, run);
  on('slider', 'input', () => goTo(page.trace.skipped + Number(byID('slider').value)));
  on('first', 'click', () => goTo(0));
  on('back', 'click', () => move(-1));
  on('forward', 'click', () => move(1));
  on('last', 'click', () => move(Infinity));
  on('export', 'click', exportDiagram);
  on('theme', 'click', toggleTheme);
  on('help-open', 'click', () => byID('help').showModal());
  on('show-lanes', 'click', showLanes);
  for (const id of ['filter-verdict', 'filter-kind']) on(id, 'change', drawFindings);
  on('filter-text', 'input', drawFindings);
  on('filter-object', 'change', () => { page.object = Number(byID('filter-object').value); diagram.draw(); });
  on('search', 'input', () => { search(); diagram.draw(); });
  on('search', 'keydown', (event) => { if (event.key === 'Enter') nextMatch(event.shiftKey); });
  let scrolled = 0;
  on('diagram', 'scroll', () => {
    cancelAnimationFrame(scrolled);
    scrolled = requestAnimationFrame(() => diagram.draw());
  });
  document.addEventListener('keydown', pressed);
  window.addEventListener('resize', () => diagram.draw());
  window.addEventListener('hashchange', follow);
}

// modelPage leaves out what a model has not, and gives what it has its names.
function modelPage() {
  for (const id of ['channels', 'locks', 'waitgroups', 'waits']) byID(id).closest('section').hidden = true;
  byID('goroutines').closest('section').querySelector('h2').textContent = 'Processes';
  document.querySelector('.filters').hidden = true;
  byID('search').placeholder = 'text, file:line, process';
  byID('filter-object').parentElement.hidden = true;
}

// aboutMemory says how the model has memory: there are no stores that only some goroutines see.
const aboutMemory = () => (data.model
  ? 'The variables are those of the model. Whether one of them stands for memory, or for a store that is pending, only the model says.'
  : 'Memory is sequentially consistent in the model: a store is seen by all goroutines at once, and none is pending. Go promises that to programs without data races, which are findings of their own.');

// recordedPage leaves out what a recorded run has not.
function recordedPage() {
  for (const id of ['alternatives', 'source', 'variables', 'automaton']) byID(id).closest('section').hidden = true;
  byID('filter-verdict').previousSibling.textContent = 'level ';
  byID('filter-kind').previousSibling.textContent = 'code ';
}

function start() {
  const p = data.program;
  document.title = `vtrace: ${p.package} ${p.entry}`;
  byID('title').textContent = `${p.package} ${p.entry}`;
  byID('program').textContent = data.recording ? ['recording', `vtrace ${p.tool}`, p.go, p.end && 'ended: ' + p.end].filter(Boolean).join(', ') : data.model ? `model, vtrace ${p.tool}` : `${p.pass} pass, vtrace ${p.tool}, ${p.go}, bundle ${p.digest.slice(0, 12)}`;
  if (data.model) modelPage();
  if (data.recording) recordedPage();
  else for (const id of ['clocks', 'possible']) byID(id).closest('section').hidden = true;
  byID('memory').textContent = aboutMemory();
  byID('notes').replaceChildren(...data.notes.map((n) => element('li', {}, n)));
  byID('keys').replaceChildren(...keys.map(([, shown, what]) => row([element('kbd', {}, shown), what])));
  document.documentElement.dataset.theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  options('filter-verdict', data.findings.map((f) => f.verdict));
  options('filter-kind', data.findings.map((f) => f.kind));
  listen();
  if (follow()) return;
  const wanted = data.findings.findIndex((f) => f.number === data.first);
  if (wanted >= 0) {
    show(wanted, lastStep(wanted));
    return;
  }
  const first = data.findings.findIndex((f) => f.trace >= 0);
  show(first < 0 ? (data.findings.length ? 0 : -2) : first, 0);
}

start();
