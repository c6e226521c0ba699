/* Graph traversal, and the parts of the picture that are highlighted. */

const next = (entry, olm) => entry[olm] && entry.channel.entries[entry[olm].next];

const automaticUpgrades = (entry, olm) => {
  const met = new Set([entry]);
  for (let at = next(entry, olm); at && !met.has(at); at = next(at, olm)) met.add(at);
  met.delete(entry);
  return [...met];
};

/** The entries whose automatic upgrades lead to an entry. */
const predecessors = (entry, olm) => {
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

/** The highlights: classes of nodes and edges by id, and whether the rest is faded. */
const highlights = () => {
  if (view.graph === 'versions') return {nodes: new Map(), edges: new Map(), fade: false};
  if (picture.pointed) return around(picture.pointed, true);
  const entry = view.bundle && entryOf(view.bundle, view.channel);
  if (entry) return around(entry, false);
  return view.channel ? within(view.channel) : {nodes: new Map(), edges: new Map(), fade: false};
};

const within = channel => ({
  nodes: new Map(channel.entries.map(e => [idOf(e), ''])),
  edges: new Map(picture.edges.map(e => `${e.dataset.from} ${e.dataset.to}`).filter(key => key.startsWith(`e${channel.at}-`)).map(key => [key, ''])),
  fade: true,
});

const around = (entry, fade) => {
  const ins = predecessors(entry, data.olm), outs = automaticUpgrades(entry, data.olm);
  const nodes = new Map(), edges = new Map();
  const add = (entries, kind) => entries.forEach(e => {
    nodes.set(idOf(e), kind);
    const to = next(e, data.olm);
    if (to) edges.set(pair(e, to), kind === 'near-in' ? kind : 'near-out');
  });
  add(ins, 'near-in');
  add(outs, 'near-out');
  add([entry], 'hot');
  for (const twin of entry.of.entries) if (twin !== entry) nodes.set(idOf(twin), 'twin');
  return {nodes, edges, fade, touching: idOf(entry)};
};

const classes = ['hot', 'near-in', 'near-out', 'twin', 'fade'];
const setClass = (element, wanted) => {
  element.classList.remove(...classes);
  if (wanted) element.classList.add(wanted);
};

const mark = () => {
  const {nodes, edges, fade, touching} = highlights();
  const drawn = new Set();
  for (const [id, node] of picture.nodes) {
    const kinds = membersOf(id).map(member => nodes.get(member));
    setClass(node, kinds.find(kind => kind === 'hot') ?? kinds.find(kind => kind !== undefined) ?? (fade && 'fade'));
  }
  for (const edge of picture.edges) {
    const {from, to} = edge.dataset;
    const pairs = membersOf(from).flatMap(a => membersOf(to).map(b => `${a} ${b}`));
    const kind = pairs.map(key => edges.get(key)).find(found => found !== undefined);
    for (const key of pairs) drawn.add(key);
    setClass(edge, kind ?? (fade && from !== touching && to !== touching && 'fade'));
  }
  const selected = view.bundle && entryOf(view.bundle, view.channel);
  for (const [id, node] of picture.nodes) {
    const on = selected !== undefined && membersOf(id).includes(idOf(selected));
    node.setAttribute('aria-pressed', String(on));
    node.classList.toggle('selected', on);
  }
  drawMissing([...edges].filter(([key, kind]) => kind !== 'near-in' && !drawn.has(key)));
};

/** Draws highlighted upgrades that the picture does not have, such as those by skipRanges. */
const drawMissing = missing => {
  picture.svg?.querySelector('.overlay')?.remove();
  if (missing.length === 0 || !picture.svg) return;
  const space = 'http://www.w3.org/2000/svg';
  const group = document.createElementNS(space, 'g');
  group.setAttribute('class', 'overlay');
  for (const [key, kind] of missing) {
    const [from, to] = key.split(' ').map(id => picture.nodes.get(id));
    if (!from || !to) continue; // within a node that stands for others
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
