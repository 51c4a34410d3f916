// Elements are made here. What comes from the bundle is set as text, and never as HTML.

const byID = (id) => document.getElementById(id);

function element(tag, properties, ...children) {
  const e = document.createElement(tag);
  for (const key in properties) {
    if (key in e) e[key] = properties[key];
    else e.setAttribute(key, properties[key]);
  }
  e.append(...children.filter((c) => c !== '' && c !== null && c !== undefined));
  return e;
}

const namespace = 'http://www.w3.org/2000/svg';

function drawn(tag, attributes, ...children) {
  const e = document.createElementNS(namespace, tag);
  for (const key in attributes) e.setAttribute(key, attributes[key]);
  e.append(...children);
  return e;
}

// tips are the heads of arrows, one for each kind.
function tips(kinds) {
  return drawn('defs', {}, ...kinds.map((kind) => drawn('marker', {
    id: 'tip-' + kind.replace(' ', '-'), viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: 'auto-start-reverse',
  }, drawn('path', { class: 'tip ' + kind, d: 'M0,0 L8,4 L0,8 z' }))));
}

function label(x, y, classes, text, title) {
  const t = drawn('text', { x, y, class: classes }, text);
  if (title && title !== text) t.append(drawn('title', {}, title));
  return t;
}

// clipped is a text cut to a width in pixels, for a font whose letters are about so wide.
function clipped(text, width, letter) {
  const n = Math.max(1, Math.floor(width / (letter || 7.3)));
  return text.length <= n ? text : text.slice(0, n - 1) + '…';
}
