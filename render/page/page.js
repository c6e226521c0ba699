(() => {
'use strict';

/* ---- the data ---- */

const $ = id => document.getElementById(id);
const data = JSON.parse($('data').textContent);
const text = i => data.texts[i];
const severities = ['error', 'warning', 'info'];

/** Replaces what would command a reader's eye: control characters and marks of writing direction. */
const visible = s => s.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
  c => '\\u' + c.codePointAt(0).toString(16).padStart(4, '0'));

/** Makes an element. Children are nodes or strings; a string becomes text and never markup. */
const make = (tag, attributes, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== undefined) element.setAttribute(name, value);
  }
  const shown = children.flat().filter(child => child || child === 0);
  element.append(...shown.map(child => child instanceof Node ? child : visible(String(child))));
  return element;
};

const plural = (n, one, many = one + 's') => `${n} ${n === 1 ? one : many}`;
const name = s => make('bdi', {class: 'name'}, s);
const nameOrEmpty = s => s === '' ? make('em', {}, '(no name)') : name(s);

/** Spells numbers out: what the page works with is the data with names and ways back. */
const unpackPackage = (p, at) => {
  p.at = at;
  p.title = text(p.name);
  p.bundles.forEach((b, i) => Object.assign(b, {id: i, title: text(b.name), entries: [], findings: []}));
  p.byName = new Map(p.bundles.map(b => [b.title, b]));
  p.channels.forEach((c, i) => unpackChannel(p, c, i));
  p.byChannel = new Map(p.channels.map(c => [c.title, c]));
  p.findings = [];
};

const unpackChannel = (p, c, i) => {
  Object.assign(c, {at: i, title: text(c.name), pkg: p, findings: [], before: {}});
  c.entries.forEach((e, at) => Object.assign(e, {at, channel: c, of: p.bundles[e.bundle]}));
  for (const at of c.newest) c.entries[at].of.entries.push(c.entries[at]);
  c.stuck = c.entries.filter(e => e.stuck).length;
};

const attach = finding => {
  const p = finding.package === undefined ? undefined : packages.get(text(finding.package));
  if (!p) return;
  p.findings.push(finding);
  const channel = finding.channel === undefined ? undefined : p.byChannel.get(text(finding.channel));
  const bundle = finding.bundle === undefined ? undefined : p.byName.get(text(finding.bundle));
  Object.assign(finding, {inChannel: channel, about: bundle});
  (bundle ?? channel)?.findings.push(finding);
};

const count = (findings, severity) => findings.filter(f => f.severity === severity).length;

data.packages.forEach(unpackPackage);
const packages = new Map(data.packages.map(p => [p.title, p]));
data.findings.forEach(attach);
for (const p of data.packages) {
  p.errors = count(p.findings, 'error');
  p.warnings = count(p.findings, 'warning');
  p.stuck = p.channels.reduce((sum, c) => sum + c.stuck, 0);
  p.deprecated = [p, ...p.channels, ...p.bundles].filter(x => x.deprecation !== undefined).length;
  p.words = p.bundles.map(b => `${b.title} ${b.version ?? ''}`.toLowerCase());
}

const version = bundle => bundle.version || bundle.title;
const versionAt = (channel, at) => version(channel.entries[at].of);
const where = pos => pos?.length > 1 ? `${text(pos[0])}:${pos[1]}` : pos?.length ? text(pos[0]) : '';
const source = pos => where(pos) && make('span', {class: 'where'}, where(pos));

/* ---- where we are: the hash ---- */

/** The view that the hash asks for, and what it asks for in vain. */
const readHash = () => {
  const asked = new URLSearchParams(location.hash.slice(1));
  const view = {asked, olm: asked.get('olm') === 'v1' ? 'v1' : 'v0', troubles: []};
  const wanted = asked.get('p') ?? (data.packages.length === 1 ? data.packages[0].title : undefined);
  if (wanted === undefined) return view;
  view.pkg = packages.get(wanted);
  if (!view.pkg) view.troubles.push(`This page has no package “${wanted}”.`);
  else readBundles(view);
  if (asked.has('olm') && !['v0', 'v1'].includes(asked.get('olm'))) view.troubles.push(`There is no OLM “${asked.get('olm')}”: v0 or v1.`);
  return view;
};

const readBundles = view => {
  const find = (key, among, what) => {
    const wanted = view.asked.get(key);
    if (wanted === null) return undefined;
    const found = among.get(wanted);
    if (!found) view.troubles.push(`Package ${view.pkg.title} has no ${what} “${wanted}”.`);
    return found;
  };
  view.channel = find('c', view.pkg.byChannel, 'channel');
  view.bundle = find('b', view.pkg.byName, 'bundle');
  view.from = find('from', view.pkg.byName, 'bundle');
  view.to = find('to', view.pkg.byName, 'bundle');
};

/** Goes to a view: what is undefined is dropped. The change of the hash brings it about. */
const go = changes => {
  const asked = new URLSearchParams('p' in changes ? '' : location.hash.slice(1));
  for (const [key, value] of Object.entries(changes)) {
    if (value === undefined) asked.delete(key);
    else asked.set(key, value);
  }
  if (view.pkg && !asked.has('p')) asked.set('p', view.pkg.title);
  location.hash = asked.toString();
};

const link = (changes, ...children) => {
  const asked = new URLSearchParams(changes).toString();
  return make('a', {href: '#' + asked}, ...children);
};

/** The channel that a bundle is looked at in: the one asked for, else the default one, else the first that has it. */
const entryOf = (bundle, channel) => {
  const {entries} = bundle;
  const within = c => entries.find(e => e.channel === c);
  const standard = view.pkg.channels[view.pkg.default];
  return (channel && within(channel)) || (standard && within(standard)) || entries[0];
};

let view = {troubles: [], olm: 'v0'};

const apply = () => {
  const before = view.pkg;
  view = readHash();
  $('message').textContent = visible(view.troubles.join(' '));
  $('message').hidden = view.troubles.length === 0;
  document.title = visible([view.bundle?.title, view.pkg?.title, data.title].filter(Boolean).join(' · '));
  document.body.classList.toggle('home', !view.pkg);
  if (view.pkg !== before) openPackage();
  showSelected();
  showBar();
  showFacts();
  showPath();
  mark();
  reveal();
};

/* ---- the list of packages ---- */

const filters = [
  {key: 'errors', label: 'errors', one: 'error'},
  {key: 'warnings', label: 'warnings', one: 'warning'},
  {key: 'stuck', label: 'stuck entries', one: 'stuck', many: 'stuck'},
  {key: 'deprecated', label: 'deprecated', one: 'deprecated', many: 'deprecated'},
];
const pressed = new Set();

const marks = of => filters.filter(f => of[f.key] > 0).map(f =>
  make('span', {class: `mark mark-${f.key}`}, plural(of[f.key], f.one, f.many)));

const showFilters = () => {
  $('filters').replaceChildren(...filters.map(f => {
    const n = data.packages.filter(p => p[f.key] > 0).length;
    const toggle = event => {
      const on = !pressed.delete(f.key);
      if (on) pressed.add(f.key);
      event.currentTarget.setAttribute('aria-pressed', on);
      showList();
    };
    return make('button', {type: 'button', class: `filter mark mark-${f.key}`, 'data-filter': f.key, 'aria-pressed': 'false',
      title: `Only packages with ${f.label}`, onclick: toggle}, `${f.label} `, make('span', {class: 'count'}, n));
  }));
};

/** What of a package meets the words searched for: undefined if nothing, else its bundles if it is not the name. */
const search = (p, words) => {
  const title = p.title.toLowerCase();
  if (words.every(w => title.includes(w))) return [];
  const rest = words.filter(w => !title.includes(w));
  const found = p.bundles.filter((_, i) => rest.every(w => p.words[i].includes(w)));
  return found.length > 0 ? found : undefined;
};

const showList = () => {
  const words = $('search').value.toLowerCase().split(/\s+/).filter(Boolean);
  const items = [];
  for (const p of data.packages) {
    const found = search(p, words);
    if (found && [...pressed].every(key => p[key] > 0)) items.push(packageItem(p, found));
  }
  $('packages').replaceChildren(...items);
  $('shown').textContent = items.length === 0 ? 'No package matches.'
    : items.length < data.packages.length ? `${items.length} of ${plural(data.packages.length, 'package')}` : plural(items.length, 'package');
  showSelected();
};

const most = 6;

const packageItem = (p, found) => {
  const rows = p.channels.map((c, i) => channelRow(p, c, i));
  const shown = rows.length > most ? rows.slice(0, most - 1) : rows;
  const rest = rows.slice(shown.length);
  return make('li', {class: 'package', 'data-package': p.title},
    make('a', {class: 'package-link', href: '#' + new URLSearchParams({p: p.title})}, name(p.title)),
    make('div', {class: 'marks'}, marks(p)),
    found.length > 0 && make('ul', {class: 'found'}, found.slice(0, most).map(b => make('li', {}, link({p: p.title, b: b.title}, name(b.title)))),
      found.length > most && make('li', {class: 'quiet'}, `and ${found.length - most} more`)),
    make('ul', {class: 'channel-rows'}, shown),
    rest.length > 0 && make('details', {class: 'more'}, make('summary', {}, plural(rest.length, 'more channel')), make('ul', {class: 'channel-rows'}, rest)));
};

const channelRow = (p, c, i) => make('li', {},
  link({p: p.title, c: c.title}, nameOrEmpty(c.title)),
  i === p.default && make('span', {class: 'quiet', title: 'the default channel'}, 'default'),
  c.stuck > 0 && make('span', {class: 'mark mark-stuck', title: plural(c.stuck, 'stuck entry', 'stuck entries')}, c.stuck),
  c.deprecation !== undefined && make('span', {class: 'mark mark-deprecated', title: 'deprecated'}, make('span', {class: 'hidden'}, 'deprecated')),
  make('span', {class: 'head-version'}, c.head >= 0 ? name(versionAt(c, c.head)) : c.entries.length > 0 ? 'no head' : 'empty'));

const showSelected = () => {
  for (const item of $('packages').children) {
    const current = item.dataset.package === view.pkg?.title;
    item.classList.toggle('current', current);
    const anchor = item.querySelector('.package-link');
    if (current) anchor.setAttribute('aria-current', 'page');
    else anchor.removeAttribute('aria-current');
  }
};

const openDrawer = open => {
  document.body.classList.toggle('drawer-open', open);
  $('drawer-button').setAttribute('aria-expanded', open);
  if (open) $('search').focus();
};

/* ---- the catalog as a whole ---- */

const showTotals = () => {
  const sum = key => data.packages.reduce((n, p) => n + p[key], 0);
  const of = {errors: count(data.findings, 'error'), warnings: count(data.findings, 'warning'), stuck: sum('stuck'), deprecated: 0};
  const bundles = data.packages.reduce((n, p) => n + p.bundles.filter(b => b.defined).length, 0);
  const title = data.packages.length > 1 ? [plural(data.packages.length, 'package'), ' · '] : [];
  $('totals').replaceChildren(make('span', {}, ...title, plural(bundles, 'bundle')), ...marks(of));
};

const showOverview = () => {
  const general = data.findings.filter(f => f.package === undefined);
  const row = p => {
    const c = p.channels[p.default];
    const head = c && c.head >= 0 ? name(versionAt(c, c.head)) : '–';
    return make('tr', {}, make('th', {scope: 'row'}, link({p: p.title}, name(p.title))), make('td', {}, c ? name(c.title) : '–'),
      make('td', {}, head), make('td', {class: 'number'}, p.channels.length), make('td', {class: 'number'}, p.bundles.length),
      make('td', {}, make('div', {class: 'marks'}, marks(p))));
  };
  const heads = ['Package', 'Default channel', 'Head', 'Channels', 'Bundles', 'Remarks'];
  $('overview').replaceChildren(
    make('h2', {}, plural(data.packages.length, 'package')),
    general.length > 0 && findingsSection(general, 'Of the catalog as a whole'),
    make('div', {class: 'scroll'}, make('table', {}, make('thead', {}, make('tr', {}, heads.map(h => make('th', {scope: 'col'}, h)))),
      make('tbody', {}, data.packages.map(row)))));
};

/* ---- the picture ---- */

const stage = $('stage');
const picture = {svg: null, scale: 1, width: 0, height: 0, nodes: new Map(), edges: []};
const idOf = entry => `e${entry.channel.at}-${entry.at}`;

const entryAt = node => {
  const [, c, e] = /^e(\d+)-(\d+)$/.exec(node?.id ?? '') ?? [];
  return c === undefined ? undefined : view.pkg?.channels[c]?.entries[e];
};

const openPackage = () => {
  const {pkg} = view;
  stage.replaceChildren();
  Object.assign(picture, {svg: null, nodes: new Map(), edges: [], pointed: undefined});
  if (!pkg) return;
  const svg = $(`picture-${pkg.at}`).content.querySelector('svg')?.cloneNode(true);
  if (!svg) {
    stage.append(make('p', {class: 'no-picture'}, 'There is no picture of this package. The facts stand beside it, bundle by bundle.'));
    return;
  }
  adopt(svg);
  applyTheme();
  begin();
};

/** Takes a picture in: its nodes become buttons, one of which can be reached by Tab. */
const adopt = svg => {
  svg.setAttribute('role', 'group');
  svg.setAttribute('aria-label', visible(`Upgrade graph of ${view.pkg.title}`));
  const box = svg.viewBox.baseVal;
  Object.assign(picture, {svg, width: box?.width || 300, height: box?.height || 150});
  for (const node of svg.querySelectorAll('g.node[id]')) {
    node.setAttribute('role', 'button');
    node.setAttribute('tabindex', '-1');
    picture.nodes.set(node.id, node);
  }
  picture.edges = [...svg.querySelectorAll('g.edge')];
  stage.append(svg);
  const first = firstNode();
  first?.setAttribute('tabindex', '0');
};

/** The head of the default channel, or else the first node. */
const firstNode = () => {
  const c = view.pkg.channels[view.pkg.default] ?? view.pkg.channels.find(other => other.head >= 0);
  const head = c && c.head >= 0 ? picture.nodes.get(idOf(c.entries[c.head])) : undefined;
  return head ?? picture.nodes.values().next().value;
};

const scales = {least: 0.04, most: 4, legible: 0.6, first: 0.8};

/** Zooms; what is at a point of the screen stays there. */
const zoomTo = (scale, x, y) => {
  const {svg} = picture;
  if (!svg) return;
  const before = svg.getBoundingClientRect();
  const stagePlace = stage.getBoundingClientRect();
  x ??= stagePlace.left + stagePlace.width / 2;
  y ??= stagePlace.top + stagePlace.height / 2;
  picture.scale = Math.min(scales.most, Math.max(scales.least, scale));
  svg.style.width = `${picture.width * picture.scale}px`;
  svg.style.height = `${picture.height * picture.scale}px`;
  const after = svg.getBoundingClientRect();
  stage.scrollLeft += after.left + (x - before.left) / before.width * after.width - x;
  stage.scrollTop += after.top + (y - before.top) / before.height * after.height - y;
  $('zoom-level').textContent = `${Math.round(picture.scale * 100)} %`;
};

const fitting = () => {
  const margin = 32;
  return Math.min((stage.clientWidth - margin) / picture.width, (stage.clientHeight - margin) / picture.height, 1.25);
};

const zoomBy = factor => zoomTo(picture.scale * factor);
const fit = () => zoomTo(fitting());

/** Shows all if that is legible, else the place where upgrades lead to. */
const begin = () => {
  const whole = fitting();
  zoomTo(whole >= scales.legible ? whole : scales.first);
  const node = firstNode();
  if (whole < scales.legible && node) center(node);
};

const center = element => {
  const place = element.getBoundingClientRect();
  const frame = stage.getBoundingClientRect();
  stage.scrollLeft += place.left + place.width / 2 - frame.left - frame.width / 2;
  stage.scrollTop += place.top + place.height / 2 - frame.top - frame.height / 2;
};

/** Scrolls the stage, and nothing around it, so far that an element is seen. */
const bring = element => {
  const margin = 24;
  const place = element.getBoundingClientRect();
  const frame = stage.getBoundingClientRect();
  const shift = (low, high, least, greatest) => low < least ? low - least : high > greatest ? Math.min(high - greatest, low - least) : 0;
  stage.scrollLeft += shift(place.left - margin, place.right + margin, frame.left, frame.left + stage.clientWidth);
  stage.scrollTop += shift(place.top - margin, place.bottom + margin, frame.top, frame.top + stage.clientHeight);
};

/** Brings into sight what the hash newly asks for. */
let revealed = '';
const reveal = () => {
  const entry = view.bundle && entryOf(view.bundle, view.channel);
  const id = entry ? idOf(entry) : view.channel ? `c${view.channel.at}` : '';
  const key = `${view.pkg?.title} ${id}`;
  const element = id && picture.svg?.querySelector('#' + CSS.escape(id));
  if (element && key !== revealed) {
    if (entry) bring(element);
    else showChannel(view.channel, element);
  }
  revealed = key;
};

const showChannel = (channel, cluster) => {
  const head = channel.head >= 0 && picture.nodes.get(idOf(channel.entries[channel.head]));
  bring(cluster);
  if (head) bring(head);
};

const showBar = () => {
  const {pkg} = view;
  $('package-name').replaceChildren(...pkg ? [name(pkg.title), ...(pkg.deprecation !== undefined ? [make('span', {class: 'mark mark-deprecated'}, 'deprecated')] : [])] : []);
  const current = view.channel ?? (view.bundle && entryOf(view.bundle)?.channel);
  const chip = c => make('button', {type: 'button', class: 'chip', 'aria-pressed': String(c === current),
    onclick: () => go({c: c === view.channel ? undefined : c.title, b: undefined})}, nameOrEmpty(c.title));
  $('channels').replaceChildren(...pkg?.channels.map(chip) ?? []);
};

/* ---- what leads where ---- */

const next = (entry, olm) => entry[olm] && entry.channel.entries[entry[olm].next];

const course = (entry, olm) => {
  const met = new Set([entry]);
  for (let at = next(entry, olm); at && !met.has(at); at = next(at, olm)) met.add(at);
  met.delete(entry);
  return [...met];
};

/** The entries that upgrades lead to an entry from, however many there are between. */
const origins = (entry, olm) => {
  const {channel} = entry;
  channel.before[olm] ??= groupByNext(channel, olm);
  const met = new Set([entry]);
  for (const at of met) for (const e of channel.before[olm].get(at.at) ?? []) met.add(e);
  met.delete(entry);
  return [...met];
};

const groupByNext = (channel, olm) => {
  const groups = new Map();
  for (const e of channel.entries) {
    if (e[olm]) groups.set(e[olm].next, [...groups.get(e[olm].next) ?? [], e]);
  }
  return groups;
};

const pair = (from, to) => `${idOf(from)} ${idOf(to)}`;

/** What is to stand out: the class of nodes and of edges by id, and whether all else fades. */
const standing = () => {
  if (picture.pointed) return around(picture.pointed, true);
  const way = view.from && view.to && answer();
  if (way?.steps?.length) return wayMarks(way.steps);
  const entry = view.bundle && entryOf(view.bundle, view.channel);
  return entry ? around(entry, false) : {nodes: new Map(), edges: new Map(), fade: false};
};

const around = (entry, fade) => {
  const ins = origins(entry, view.olm), outs = course(entry, view.olm);
  const nodes = new Map(), edges = new Map();
  const add = (entries, kind) => entries.forEach(e => {
    nodes.set(idOf(e), kind);
    const to = next(e, view.olm);
    if (to) edges.set(pair(e, to), kind === 'near-in' ? kind : 'near-out');
  });
  add(ins, 'near-in');
  add(outs, 'near-out');
  add([entry], 'hot');
  for (const twin of entry.of.entries) if (twin !== entry) nodes.set(idOf(twin), 'twin');
  return {nodes, edges, fade, touching: idOf(entry)};
};

const wayMarks = steps => {
  const nodes = new Map(), edges = new Map();
  for (const s of steps) {
    nodes.set(idOf(s.from), 'way').set(idOf(s.to), 'way');
    edges.set(pair(s.from, s.to), 'way');
  }
  return {nodes, edges, fade: true};
};

const classes = ['hot', 'near-in', 'near-out', 'way', 'twin', 'fade'];
const setClass = (element, wanted) => {
  element.classList.remove(...classes);
  if (wanted) element.classList.add(wanted);
};

const mark = () => {
  const {nodes, edges, fade, touching} = standing();
  const drawn = new Set();
  for (const [id, node] of picture.nodes) setClass(node, nodes.get(id) ?? (fade && 'fade'));
  for (const edge of picture.edges) {
    const {from, to} = edge.dataset;
    const kind = edges.get(`${from} ${to}`);
    if (kind) drawn.add(`${from} ${to}`);
    setClass(edge, kind ?? (fade && from !== touching && to !== touching && 'fade'));
  }
  const selected = view.bundle && entryOf(view.bundle, view.channel);
  for (const [id, node] of picture.nodes) {
    const on = selected !== undefined && id === idOf(selected);
    node.setAttribute('aria-pressed', String(on));
    node.classList.toggle('selected', on);
  }
  drawMissing([...edges].filter(([key, kind]) => kind !== 'near-in' && !drawn.has(key)));
};

/** Draws the upgrades that the picture leaves out, as it may leave out those that skipRanges allow. */
const drawMissing = missing => {
  picture.svg?.querySelector('.added')?.remove();
  if (missing.length === 0 || !picture.svg) return;
  const space = 'http://www.w3.org/2000/svg';
  const group = document.createElementNS(space, 'g');
  group.setAttribute('class', 'added');
  for (const [key, kind] of missing) {
    const [from, to] = key.split(' ').map(id => picture.nodes.get(id));
    if (!from || !to) continue;
    const path = document.createElementNS(space, 'path');
    path.setAttribute('class', kind);
    path.setAttribute('d', arc(middle(from), middle(to)));
    group.append(path);
  }
  picture.svg.append(group);
};

const middle = node => {
  const place = node.getBoundingClientRect();
  const point = new DOMPoint(place.left + place.width / 2, place.top);
  return point.matrixTransform(picture.svg.getScreenCTM().inverse());
};

const arc = (a, b) => {
  const lift = Math.min(a.y, b.y) - Math.min(80, 16 + Math.abs(b.x - a.x) / 8);
  return `M${a.x} ${a.y}C${a.x} ${lift} ${b.x} ${lift} ${b.x} ${b.y}`;
};

const point = entry => {
  if (picture.pointed === entry) return;
  picture.pointed = entry;
  mark();
};

/* ---- pointer and keys on the picture ---- */

const nodeOf = target => target instanceof Element ? target.closest('g.node[id]') : null;

const watchPointer = () => {
  let drag;
  stage.addEventListener('pointerover', e => e.pointerType === 'mouse' && !drag?.moved && point(entryAt(nodeOf(e.target))));
  stage.addEventListener('pointerleave', () => point(undefined));
  stage.addEventListener('focusin', e => point(entryAt(nodeOf(e.target))));
  stage.addEventListener('focusout', () => point(undefined));
  stage.addEventListener('pointerdown', e => {
    if (e.pointerType === 'mouse' && e.button === 0) drag = {x: e.clientX, y: e.clientY, left: stage.scrollLeft, top: stage.scrollTop};
  });
  addEventListener('pointermove', e => {
    if (!drag) return;
    drag.moved ||= Math.hypot(e.clientX - drag.x, e.clientY - drag.y) > 4;
    if (!drag.moved) return;
    stage.classList.add('dragged');
    stage.scrollLeft = drag.left + drag.x - e.clientX;
    stage.scrollTop = drag.top + drag.y - e.clientY;
  });
  addEventListener('pointerup', () => {
    stage.classList.remove('dragged');
    dragged = drag?.moved ?? false;
    drag = undefined;
  });
};

let dragged = false;

const watchClicks = () => {
  stage.addEventListener('click', e => {
    const entry = entryAt(nodeOf(e.target));
    if (dragged || !entry) {
      dragged = false;
      return;
    }
    if (e.shiftKey) pick(entry);
    else select(entry);
  });
  stage.addEventListener('mousedown', e => e.shiftKey && e.preventDefault());
};

const select = entry => {
  const node = picture.nodes.get(idOf(entry));
  if (node) rove(node);
  openTab('facts');
  go({c: entry.channel.title, b: entry.of.title});
};

const watchZoom = () => {
  stage.addEventListener('wheel', e => {
    if (!e.ctrlKey && !e.metaKey) return;
    e.preventDefault();
    zoomTo(picture.scale * Math.exp(-e.deltaY / 300), e.clientX, e.clientY);
  }, {passive: false});
  let pinch;
  const span = touches => Math.hypot(touches[0].clientX - touches[1].clientX, touches[0].clientY - touches[1].clientY);
  stage.addEventListener('touchstart', e => {
    if (e.touches.length === 2) pinch = {span: span(e.touches), scale: picture.scale};
  }, {passive: true});
  stage.addEventListener('touchmove', e => {
    if (e.touches.length !== 2 || !pinch) return;
    e.preventDefault();
    const [a, b] = e.touches;
    zoomTo(pinch.scale * span(e.touches) / pinch.span, (a.clientX + b.clientX) / 2, (a.clientY + b.clientY) / 2);
  }, {passive: false});
};

/** Lets Tab come back to a node. */
const rove = node => {
  picture.svg.querySelector('g.node[tabindex="0"]')?.setAttribute('tabindex', '-1');
  node.setAttribute('tabindex', '0');
};

const focusNode = node => {
  rove(node);
  node.focus({preventScroll: true});
  bring(node);
};

const centerOf = node => {
  const place = node.getBoundingClientRect();
  return {x: place.left + place.width / 2, y: place.top + place.height / 2};
};

const nearest = (node, nodes, cost) => {
  const from = centerOf(node);
  const costs = nodes.map(other => ({other, cost: cost(centerOf(other), from)})).filter(c => c.cost < Infinity);
  return costs.reduce((best, c) => best && best.cost <= c.cost ? best : c, undefined)?.other;
};

/** The node along an edge: rightwards to where it leads, leftwards to where it comes from, best the one OLM follows. */
const along = (node, key) => {
  const [here, there] = key === 'ArrowRight' ? ['from', 'to'] : ['to', 'from'];
  const leading = picture.edges.filter(e => e.dataset[here] === node.id && e.dataset[there] !== node.id);
  const followed = leading.filter(e => e.classList.contains('next'));
  const nodes = (followed.length > 0 ? followed : leading).map(e => picture.nodes.get(e.dataset[there])).filter(Boolean);
  return nearest(node, nodes, (a, b) => Math.hypot(a.x - b.x, a.y - b.y));
};

const aside = (node, key) => {
  const sign = key === 'ArrowDown' ? 1 : -1;
  const others = [...picture.nodes.values()].filter(other => other !== node);
  return nearest(node, others, (a, b) => (a.y - b.y) * sign > 2 ? (a.y - b.y) * sign + 2 * Math.abs(a.x - b.x) : Infinity);
};

const nodeKey = (e, node) => {
  const to = {ArrowRight: along, ArrowLeft: along, ArrowUp: aside, ArrowDown: aside}[e.key];
  if (to) {
    const found = to(node, e.key);
    if (found) focusNode(found);
  } else if (e.key === 'Enter' || e.key === ' ') {
    if (e.shiftKey) pick(entryAt(node));
    else select(entryAt(node));
  } else return;
  e.preventDefault();
};

const writing = target => target instanceof Element && target.closest('input:not([type=radio]), select, textarea') !== null;

const keys = {
  '/': () => {
    if (matchMedia('(max-width: 719px)').matches) openDrawer(true);
    $('search').focus();
  },
  '+': () => zoomBy(1.25),
  '=': () => zoomBy(1.25),
  '-': () => zoomBy(0.8),
  '0': fit,
};

const watchKeys = () => addEventListener('keydown', e => {
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  if (e.key === 'Escape') escape(e);
  else if (writing(e.target)) return;
  else if (keys[e.key]) {
    keys[e.key]();
    e.preventDefault();
  } else {
    const node = nodeOf(e.target);
    if (node && entryAt(node)) nodeKey(e, node);
  }
});

/** Takes back the last thing: the drawer, the words searched for, the path, the bundle. */
const escape = e => {
  if (document.body.classList.contains('drawer-open')) {
    openDrawer(false);
    $('drawer-button').focus();
  } else if (e.target === $('search')) {
    $('search').value = '';
    showList();
  } else if (view.from || view.to) clearPath();
  else if (view.bundle || view.channel) go({b: undefined, c: undefined});
};

/* ---- the facts ---- */

const section = (title, ...children) => make('section', {}, make('h4', {}, title), ...children);
const list = (items, cls) => make('ul', {class: cls ?? 'plain'}, items.map(item => make('li', {}, item)));

/** A list that is folded where it is long. */
const folded = (items, what) => items.length <= 8 ? list(items)
  : make('details', {}, make('summary', {}, plural(items.length, what)), list(items));

const badge = (kind, label) => make('span', {class: `mark mark-${kind}`}, label);

const showFacts = () => {
  const {pkg, bundle} = view;
  $('facts').replaceChildren(...!pkg ? [] : bundle ? bundleFacts(bundle, entryOf(bundle, view.channel)) : packageFacts(pkg));
  $('facts').scrollTop = 0;
};

const packageFacts = pkg => [
  make('h3', {}, name(pkg.title)),
  make('div', {class: 'marks'}, marks(pkg)),
  deprecations([[pkg, 'The package']]),
  make('table', {class: 'channels'},
    make('thead', {}, make('tr', {}, ['Channel', 'Head', 'Entries', 'Stuck'].map(h => make('th', {scope: 'col'}, h)))),
    make('tbody', {}, pkg.channels.map(channelFacts))),
  pkg.channels.length === 0 && make('p', {}, 'The package has no channels.'),
  loose(pkg),
  where(pkg.pos) && section('Stands in', source(pkg.pos)),
  pkg.findings.length > 0 && findingsSection(pkg.findings, 'Findings', true),
].filter(Boolean);

const channelFacts = (c, i) => make('tr', {},
  make('th', {scope: 'row'}, link({p: c.pkg.title, c: c.title}, nameOrEmpty(c.title)), i === c.pkg.default && make('span', {class: 'quiet'}, ' default'),
    c.deprecation !== undefined && badge('deprecated', 'deprecated'), c.error && make('p', {class: 'bad'}, c.error)),
  make('td', {}, c.head >= 0 ? link({p: c.pkg.title, c: c.title, b: c.entries[c.head].of.title}, name(versionAt(c, c.head))) : '–'),
  make('td', {class: 'number'}, c.newest.length), make('td', {class: 'number'}, c.stuck > 0 ? badge('stuck', c.stuck) : '0'));

/** The bundles that are in no channel. */
const loose = pkg => {
  const bundles = pkg.bundles.filter(b => b.entries.length === 0);
  return bundles.length > 0 && section('In no channel', folded(bundles.map(b => link({p: pkg.title, b: b.title}, name(b.title))), 'bundle'));
};

const deprecations = things => {
  const items = things.filter(([thing]) => thing?.deprecation !== undefined);
  return items.length > 0 && make('div', {class: 'deprecations'}, items.map(([thing, what]) =>
    make('p', {}, badge('deprecated', `${what} is deprecated`), ' ', text(thing.deprecation))));
};

const bundleFacts = (bundle, entry) => [
  make('p', {class: 'crumb'}, link({p: view.pkg.title}, name(view.pkg.title)), entry && [' / ', nameOrEmpty(entry.channel.title)]),
  make('h3', {}, nameOrEmpty(bundle.title)),
  make('p', {class: 'version'}, bundle.version ? ['Version ', name(bundle.version)] : bundle.defined ? 'It has no version.' : 'The catalog has no bundle of this name.'),
  make('div', {class: 'marks'}, state(bundle, entry)),
  deprecations([[bundle, 'The bundle'], [entry?.channel, 'The channel'], [view.pkg, 'The package']]),
  entry && make('div', {class: 'actions'},
    make('button', {type: 'button', class: 'button', onclick: () => pick(entry, 'from')}, 'Path from here'),
    make('button', {type: 'button', class: 'button', onclick: () => pick(entry, 'to')}, 'Path to here')),
  entry && upgrades(entry),
  findingsSection(bundle.findings.filter(f => !f.inChannel || f.inChannel === entry?.channel), 'Findings'),
  entry && declared(entry),
  otherChannels(bundle, entry),
  ...contents(bundle),
].filter(Boolean);

const state = (bundle, entry) => [
  entry?.head && badge('head', 'head'),
  entry?.stuck && badge('stuck', 'stuck'),
  entry?.skipped && badge('skipped', 'skipped'),
  entry?.unoffered === -1 && badge('skipped', 'never offered'),
  bundle.deprecation !== undefined && badge('deprecated', 'deprecated'),
  !entry && badge('skipped', 'in no channel'),
];

const upgrades = entry => section('Upgrades', make('dl', {class: 'facts-list'},
  make('dt', {}, 'OLM v0'), make('dd', {}, courseV0(entry)),
  make('dt', {}, 'OLM v1'), make('dd', {}, courseV1(entry))));

const courseV0 = entry => {
  if (entry.channel.error) return `OLM v0 cannot order the channel (${entry.channel.error}): nothing in it is ever upgraded.`;
  if (entry.stuck) return make('ul', {class: 'why'}, entry.stuck.map(s => make('li', {}, s)));
  if (entry.v0) return hops(entry, 'v0');
  return entry.head ? 'This is the head.' : 'It is upgraded no further.';
};

const courseV1 = entry => {
  if (!entry.of.readable) return 'OLM v1 cannot read its version.';
  if (entry.v1) return hops(entry, 'v1');
  return entry.stuckV1 ? 'It has no successor, and is not the newest: it stays here.' : 'It stays here: none of its successors is better.';
};

const hops = (entry, olm) => {
  const c = entry[olm], {channel} = entry;
  if (c.loop) return `It is upgraded for ever: it comes back to ${versionAt(channel, c.end)} after ${plural(c.hops, 'upgrade')}.`;
  const end = channel.entries[c.end];
  const route = [entry, ...course(entry, olm)];
  return [`${plural(c.hops, 'upgrade')} to ${version(end.of)}${end.head ? ', the head' : end.stuck && olm === 'v0' ? ', where it is stuck' : ''}`,
    make('p', {class: 'route'}, route.flatMap((e, i) => [i > 0 && ' → ', link({p: view.pkg.title, c: channel.title, b: e.of.title}, name(version(e.of)))]))];
};

const reference = (said, channel) => {
  const value = text(said[0]);
  const bundle = view.pkg.byName.get(value);
  const target = bundle?.entries.some(e => e.channel === channel);
  return make('span', {}, target ? link({p: view.pkg.title, c: channel.title, b: value}, nameOrEmpty(value))
    : [nameOrEmpty(value), make('span', {class: 'quiet'}, ' not in the channel')], ' ', source(said.slice(1)));
};

const declared = entry => section('Declared', make('dl', {class: 'facts-list'},
  make('dt', {}, 'Replaces'), make('dd', {}, entry.replaces ? reference(entry.replaces, entry.channel) : '–'),
  make('dt', {}, 'Skips'), make('dd', {}, entry.skips ? folded(entry.skips.map(s => reference(s, entry.channel)), 'bundle') : '–'),
  make('dt', {}, 'skipRange'), make('dd', {}, entry.range ? [make('code', {}, text(entry.range[0])), ' ', source(entry.range.slice(1))] : '–'),
  entry.pos && [make('dt', {}, 'Entry in'), make('dd', {}, source(entry.pos))]));

const otherChannels = (bundle, entry) => {
  const others = bundle.entries.filter(e => e !== entry);
  return others.length > 0 && section('Also in', list(others.map(e => [
    link({p: view.pkg.title, c: e.channel.title, b: bundle.title}, nameOrEmpty(e.channel.title)),
    e.head ? ' as its head' : e.stuck ? ', stuck' : '']).map(parts => make('span', {}, ...parts)), 'plain'));
};

const contents = bundle => [
  bundle.max && section('Cluster', make('p', {}, `It blocks upgrades of OpenShift beyond ${bundle.max}.`)),
  bundle.requires && section('Requires', folded(bundle.requires.map(i => name(text(i))), 'requirement')),
  bundle.provides && section('APIs', apis(bundle.provides)),
  bundle.image !== undefined && section('Image', make('code', {class: 'image'}, text(bundle.image))),
  bundle.images && section('Related images', folded(bundle.images.map(([title, image]) =>
    make('span', {}, text(title) && make('span', {class: 'quiet'}, text(title)), ' ', make('code', {class: 'image'}, text(image)))), 'image')),
  where(bundle.pos) && section('Stands in', source(bundle.pos)),
];

/** The kinds with their versions, from names like Kind.version.group. */
const apis = provided => {
  const versions = new Map();
  for (const i of provided) {
    const [kind, v = '', ...group] = text(i).split('.');
    const key = [kind, ...group].join('.');
    versions.set(key, [...versions.get(key) ?? [], v]);
  }
  return folded([...versions].map(([key, all]) => {
    const [kind, ...group] = key.split('.');
    return make('span', {}, make('strong', {}, name(kind)), ` ${all.join(', ')} `, make('span', {class: 'quiet'}, group.join('.')));
  }), 'API');
};

const findingsSection = (findings, title, linked) => {
  if (findings.length === 0) return undefined;
  const sorted = severities.flatMap(s => findings.filter(f => f.severity === s));
  const serious = sorted.filter(f => f.severity !== 'info'), rest = sorted.slice(serious.length);
  return section(title, make('ul', {class: 'findings'}, serious.map(f => findingItem(f, linked))),
    rest.length > 0 && make('details', {open: serious.length === 0 && rest.length <= 3}, make('summary', {}, plural(rest.length, 'remark')),
      make('ul', {class: 'findings'}, rest.map(f => findingItem(f, linked)))));
};

const findingItem = (f, linked) => make('li', {class: `finding finding-${f.severity}`},
  make('p', {class: 'finding-head'}, make('span', {class: `mark mark-${f.severity}s`}, f.severity), ' ', make('code', {}, text(f.rule)), ' ',
    linked && f.about && link({p: view.pkg.title, ...f.inChannel && {c: f.inChannel.title}, b: f.about.title}, name(f.about.title))),
  make('p', {}, text(f.message)),
  text(f.cure) && make('p', {class: 'cure'}, make('strong', {}, 'Cure: '), text(f.cure)),
  f.pos && make('p', {}, source(f.pos)));

/* ---- the path between two bundles ---- */

const kinds = {replaces: to => to.replaces, skips: (to, name) => to.skips?.find(s => s[0] === name), skipRange: to => to.range};
const step = (from, to, kind) => ({from, to, kind, said: kinds[kind](to, from.of.name) ?? []});

/** Follows what OLM v0 does by itself; undefined if it does not pass the goal. */
const wayV0 = (from, to) => {
  const steps = [];
  const met = new Set([from]);
  for (let at = from; at !== to;) {
    const then = next(at, 'v0');
    if (!then || met.has(then)) return undefined;
    steps.push(step(at, then, at.v0.kind));
    met.add(then);
    at = then;
  }
  return steps;
};

/**
 * Looks for a shortest way of a user who asks OLM v1 for versions: breadth first, backwards from the goal, because an
 * entry says what it takes over. Undefined if there is none. Of several it is the one of graph.Ask.
 */
const wayV1 = (from, to) => {
  const steps = new Map([[to, undefined]]);
  for (const at of steps.keys()) {
    if (!at.of.readable) continue;
    for (const [origin, kind] of claims(at)) {
      if (!steps.has(origin) && origin.of.readable) steps.set(origin, step(origin, at, kind));
    }
  }
  if (!steps.has(from)) return undefined;
  const way = [];
  for (let at = from; at !== to; at = way.at(-1).to) way.push(steps.get(at));
  return way;
};

/** What an entry takes over, strongest reason first. */
function* claims(entry) {
  const {channel} = entry;
  const named = said => view.pkg.byName.get(text(said[0]))?.entries.find(e => e.channel === channel);
  if (entry.replaces && named(entry.replaces)) yield [named(entry.replaces), 'replaces'];
  for (const skip of entry.skips ?? []) if (named(skip)) yield [named(skip), 'skips'];
  const covers = entry.covers ?? [];
  for (let i = 0; i < covers.length; i += 2) {
    for (let at = covers[i]; at < covers[i + 1]; at++) yield [channel.entries[channel.lowest[at]], 'skipRange'];
  }
}

const wayOf = (from, to, olm) => olm === 'v1' ? wayV1(from, to) : wayV0(from, to);
const automatic = (s, olm) => next(s.from, olm) === s.to;

/** The channel of the path: the one asked for, else one that has both bundles, the default one first. */
const pathChannel = () => {
  const {pkg, channel, from, to} = view;
  const holds = (c, b) => !b || b.entries.some(e => e.channel === c);
  const standard = pkg.channels[pkg.default];
  const order = [...channel ? [channel] : [], ...standard ? [standard] : [], ...pkg.channels];
  return order.find(c => holds(c, from) && holds(c, to)) ?? order.find(c => holds(c, from)) ?? order[0];
};

/** The answer to the question in the hash. */
const answer = () => {
  const channel = pathChannel();
  const [from, to] = [view.from, view.to].map(b => b.entries.find(e => e.channel === channel));
  return {channel, from, to, steps: from && to && wayOf(from, to, view.olm)};
};

const fillSelect = (select, options, chosen) => {
  select.replaceChildren(...options.map(([value, label]) => make('option', {value, selected: value === chosen}, label)));
};

const label = b => b.version && !b.title.endsWith(b.version) ? `${b.version} (${b.title})` : b.title;

const showPath = () => {
  const {pkg, from, to, olm} = view;
  if (!pkg || pkg.channels.length === 0) {
    $('path-result').replaceChildren();
    return;
  }
  const channel = pathChannel();
  const bundles = channel.newest.map(at => channel.entries[at].of);
  const listed = b => b && !bundles.includes(b) ? [...bundles, b] : bundles;
  const options = b => [['', 'choose …'], ...listed(b).map(other => [other.title, label(other)])];
  fillSelect($('path-channel'), pkg.channels.map(c => [c.title, c.title]), channel.title);
  fillSelect($('path-from'), options(from), from?.title ?? '');
  fillSelect($('path-to'), options(to), to?.title ?? '');
  for (const radio of $('path-form').elements.olm) radio.checked = radio.value === olm;
  $('path-result').replaceChildren(...from && to ? result(answer()) : [make('p', {class: 'quiet'}, 'Choose two versions, or click on two bundles with Shift.')]);
};

const result = ({channel, from, to, steps}) => {
  if (!from || !to) return [make('p', {class: 'verdict bad'}, `Channel ${channel.title} has no entry ${(from ? view.to : view.from).title}.`), elsewhere(channel)].filter(Boolean);
  if (from === to) return [make('p', {class: 'verdict'}, `Nothing to do: ${version(from.of)} is what is installed.`), goesOn(from, to)].filter(Boolean);
  if (!steps) return noWay(from, to);
  const alone = steps.every(s => automatic(s, view.olm));
  const ending = !alone ? '' : steps.length === 1 ? ', which happens by itself' : ', which happen by themselves';
  return [
    make('p', {class: 'verdict'}, `${version(from.of)} to ${version(to.of)}${to.head ? ', the head' : ''}: ${plural(steps.length, 'upgrade')}${ending}`),
    make('ol', {class: 'steps'}, steps.map(stepItem)),
    goesOn(from, to),
  ].filter(Boolean);
};

const stepItem = s => make('li', {},
  make('p', {class: 'hop'}, bundleLink(s.from), ' → ', bundleLink(s.to)),
  make('p', {class: 'reason'}, reason(s), ' ', source(s.said.slice(1)),
    !automatic(s, view.olm) && make('span', {class: 'quiet'}, ` if asked for ${version(s.to.of)}`)),
  notes(s).map(note => make('p', {class: 'note'}, note)));

const bundleLink = entry => {
  const a = link({...Object.fromEntries(view.asked), p: view.pkg.title, c: entry.channel.title, b: entry.of.title}, name(version(entry.of)));
  a.addEventListener('click', () => openTab('facts'));
  return a;
};

const reason = s => s.kind === 'skipRange' ? `skipRange "${text(s.said[0])}"` : `${s.kind} ${version(s.from.of)}`;

/** What is to be known before a step. */
const notes = ({from, to}) => [
  leap(from.of, to.of),
  to.of.deprecation !== undefined && `deprecated: ${text(to.of.deprecation)}`,
  to.of.max && to.of.max !== from.of.max && `blocks upgrades of OpenShift beyond ${to.of.max}`,
  ...(to.of.requires ?? []).filter(i => !from.of.requires?.includes(i)).map(i => `requires ${text(i)}`),
].filter(Boolean);

const leap = (from, to) => {
  if (from.rank < 0 || to.rank < 0) return '';
  if (to.rank < from.rank) return 'a downgrade';
  const [a, b] = [from, to].map(x => x.version.split('.').map(Number));
  const over = a[0] < b[0] ? between('major version', '', a[0], b[0]) : between('minor version', `${b[0]}.`, a[1], b[1]);
  return over ? `passes over ${over}` : a[0] !== b[0] ? 'another major version' : '';
};

const between = (what, prefix, low, high) => high - low < 2 ? '' : high - low === 2 ? `${what} ${prefix}${low + 1}`
  : `${what}s ${prefix}${low + 1} to ${prefix}${high - 1}`;

/** What OLM does by itself beyond what was asked for. */
const goesOn = (from, to) => {
  const passed = course(from, view.olm);
  const beyond = from === to ? passed : passed.slice(passed.indexOf(to) + 1);
  if (beyond.length === 0 || from !== to && !passed.includes(to)) return undefined;
  const hold = view.olm === 'v1' ? 'ask for that version' : 'approve install plans by hand (installPlanApproval: Manual)';
  return make('p', {}, `By itself OLM ${view.olm} does not stop there, but goes on to ${version(beyond.at(-1).of)} (${plural(beyond.length, 'more upgrade')}). To stop, ${hold}.`);
};

const noWay = (from, to) => [
  make('p', {class: 'verdict bad'}, `There is no way from ${label(from.of)} to ${label(to.of)}.`),
  make('ul', {class: 'why'}, (view.olm === 'v0' ? whyNotV0(from, to) : whyNotV1(from, to)).map(s => make('li', {}, s))),
  elsewhere(from.channel),
].filter(Boolean);

const older = (a, b) => a.of.rank >= 0 && b.of.rank >= 0 && a.of.rank < b.of.rank;

const backwards = (from, to) => {
  if (!older(to, from)) return [];
  const back = wayOf(to, from, view.olm);
  return [`${version(to.of)} is older than ${version(from.of)}, and no edge leads back.`,
    ...back ? [`The other way round there is one, of ${plural(back.length, 'upgrade')}.`] : []];
};

const whyNotV0 = (from, to) => {
  const {channel} = from;
  if (channel.error) return [`OLM v0 cannot order the channel (${channel.error}): nothing in it is ever upgraded.`];
  return [...backwards(from, to), ...unoffered(to), ...halt(from, to), reachable(to)];
};

const unoffered = to => {
  if (to.unoffered === undefined) return [];
  if (to.unoffered < 0) return [`OLM v0 never offers ${version(to.of)}, because the walk along replaces from the head does not come to it.`];
  const by = to.channel.entries[to.unoffered];
  const said = by.skips.find(s => s[0] === to.of.name);
  return [`OLM v0 never offers ${version(to.of)}, because ${version(by.of)} skips it (${where(said.slice(1))}).`];
};

/** Where OLM v0 ends, or goes past the goal. */
const halt = (from, to) => {
  const passed = [from, ...course(from, 'v0')];
  const end = passed.at(-1);
  if (from.v0?.loop) return [`OLM upgrades in a circle: it comes back to ${versionAt(from.channel, from.v0.end)} without end.`];
  if (older(to, from)) return [];
  const at = passed.findIndex(e => older(to, e));
  if (at > 0) {
    const s = step(passed[at - 1], passed[at], passed[at - 1].v0.kind);
    return [`OLM goes from ${version(s.from.of)} straight on to ${version(s.to.of)}, because of its ${s.kind} (${where(s.said.slice(1))}); a user can only stop before a step.`];
  }
  if (end.stuck) return end.stuck;
  return [end === from ? `OLM v0 upgrades ${version(from.of)} no further.` : `OLM v0 upgrades it to ${version(end.of)}, and no further.`];
};

const reachable = to => {
  const from = origins(to, 'v0').map(e => e.of).sort((a, b) => b.rank - a.rank).map(version);
  if (from.length === 0) return `Nothing in the channel is ever upgraded to ${version(to.of)}.`;
  const more = from.length > 8 ? ` and ${from.length - 8} more` : '';
  return `${version(to.of)} can be reached from ${from.slice(0, 8).join(', ')}${more}.`;
};

const whyNotV1 = (from, to) => {
  const unread = [from, to].filter(e => !e.of.readable);
  if (unread.length > 0) return unread.map(e => `OLM v1 cannot read the version of ${e.of.title}.`);
  const sentences = backwards(from, to);
  return sentences.length > 0 ? sentences
    : [`Nothing that can be reached from ${version(from.of)} is replaced, skipped or covered by a skipRange on the way to ${version(to.of)}.`];
};

/** The other channels in which there is a way. */
const elsewhere = channel => {
  const found = view.pkg.channels.filter(c => {
    const [from, to] = [view.from, view.to].map(b => b.entries.find(e => e.channel === c));
    return c !== channel && from && to && wayOf(from, to, view.olm);
  });
  const ask = c => link({p: view.pkg.title, c: c.title, from: view.from.title, to: view.to.title, olm: view.olm}, nameOrEmpty(c.title));
  return found.length > 0 && make('p', {}, 'There is a way in channel ', ...found.flatMap((c, i) => [i > 0 && ', ', ask(c)]), ': move the subscription there.');
};

/** Takes an entry as one end of the path: the one said, else the one that is missing. */
const pick = (entry, end) => {
  const which = end ?? (view.from && !view.to ? 'to' : 'from');
  const both = which === 'from' && !end ? {to: undefined} : {};
  const other = which === 'to' ? view.from : view.to;
  const shared = !other || other.entries.some(e => e.channel === entry.channel) ? entry.channel.title : undefined;
  openTab('path');
  go({...both, [which]: entry.of.title, olm: view.olm, c: shared});
};

const clearPath = () => go({from: undefined, to: undefined, olm: undefined});

const watchPath = () => {
  const form = $('path-form');
  const value = id => $(id).value || undefined;
  form.addEventListener('change', () => go({c: $('path-channel').value, from: value('path-from'), to: value('path-to'), olm: form.elements.olm.value}));
  form.addEventListener('submit', e => e.preventDefault());
  $('path-swap').addEventListener('click', () => go({from: value('path-to'), to: value('path-from')}));
  $('path-clear').addEventListener('click', clearPath);
};

/* ---- tabs, theme and the rest ---- */

const openTab = which => {
  for (const tab of ['facts', 'path']) {
    $(tab).hidden = tab !== which;
    $(`tab-${tab}`).setAttribute('aria-selected', String(tab === which));
    $(`tab-${tab}`).setAttribute('tabindex', tab === which ? '0' : '-1');
  }
};

const watchTabs = () => {
  for (const tab of ['facts', 'path']) {
    $(`tab-${tab}`).addEventListener('click', () => openTab(tab));
    $(`tab-${tab}`).addEventListener('keydown', e => {
      if (e.key !== 'ArrowLeft' && e.key !== 'ArrowRight') return;
      const other = tab === 'facts' ? 'path' : 'facts';
      openTab(other);
      $(`tab-${other}`).focus();
    });
  }
};

const darkWanted = matchMedia('(prefers-color-scheme: dark)');
let chosenTheme; // undefined: what the system prefers
const dark = () => chosenTheme ? chosenTheme === 'dark' : darkWanted.matches;

/** Makes the rules for a colour scheme, those of the picture too, hold as chosen. Paper stays light. */
const applyTheme = () => {
  for (const sheet of document.styleSheets) {
    for (const rule of sheet.cssRules) if (rule instanceof CSSMediaRule) chooseScheme(rule);
  }
  document.documentElement.style.colorScheme = chosenTheme ?? '';
  $('theme').setAttribute('aria-pressed', String(dark()));
};

const schemes = new WeakMap();
const chooseScheme = rule => {
  if (!schemes.has(rule)) schemes.set(rule, rule.media.mediaText);
  const written = schemes.get(rule);
  const [, scheme] = /prefers-color-scheme:\s*(dark|light)/.exec(written) ?? [];
  if (scheme) rule.media.mediaText = !chosenTheme ? written : scheme === chosenTheme ? 'screen' : 'not all';
};

const watchRest = () => {
  $('theme').addEventListener('click', () => {
    chosenTheme = dark() ? 'light' : 'dark';
    applyTheme();
  });
  darkWanted.addEventListener('change', applyTheme);
  $('search').addEventListener('input', showList);
  $('drawer-button').addEventListener('click', () => openDrawer(!document.body.classList.contains('drawer-open')));
  $('packages').addEventListener('click', e => e.target.closest('a') && openDrawer(false));
  $('skip').addEventListener('click', e => {
    e.preventDefault();
    (picture.svg?.querySelector('g.node[tabindex="0"]') ?? stage).focus();
  });
  $('zoom-in').addEventListener('click', () => zoomBy(1.25));
  $('zoom-out').addEventListener('click', () => zoomBy(0.8));
  $('zoom-fit').addEventListener('click', fit);
  addEventListener('hashchange', apply);
};

const start = () => {
  showTotals();
  showFilters();
  showOverview();
  showList();
  for (const watch of [watchPointer, watchClicks, watchZoom, watchKeys, watchPath, watchTabs, watchRest]) watch();
  document.body.classList.toggle('single', data.packages.length === 1);
  applyTheme();
  apply();
  if (view.from && view.to) openTab('path');
};

start();

/** For the console and for tests: the upgrades from one bundle of the package in view to another, or undefined. */
globalThis.olmgraph = Object.freeze({
  way: (channel, from, to, olm) => {
    const entry = title => view.pkg.byName.get(title).entries.find(e => e.channel.title === channel);
    return wayOf(entry(from), entry(to), olm)?.map(s => ({from: s.from.of.title, to: s.to.of.title, kind: s.kind,
      value: text(s.said[0]), file: text(s.said[1]), line: s.said[2], automatic: automatic(s, olm)}));
  },
});
})();
