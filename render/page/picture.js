/* The picture. */

const stage = $('stage');
const picture = {svg: null, scale: 1, width: 0, height: 0, nodes: new Map(), edges: [], named: [], folds: new Map()};

/** The ID of an entry. In the picture of a change, the ID of one that is no longer there begins with r. */
const idOf = entry => {
  const id = `e${entry.channel.at}-${entry.at}`;
  if (view.graph !== 'change' || entry.channel.pkg === view.item) return id;
  const now = view.item.byChannel.get(entry.channel.title)?.entries.find(e => e.of.title === entry.of.title);
  return now ? idOf(now) : 'r' + id;
};

const entryAt = node => {
  const [, removed, c, e] = /^(r?)e(\d+)-(\d+)$/.exec(node?.id ?? '') ?? [];
  return c === undefined ? undefined : (removed ? view.item?.before : view.pkg)?.channels[c]?.entries[e];
};

/** Shows the picture of the package: with one node for versions that do the same, unless that is unfolded. */
const openPackage = unfolded => {
  const {pkg} = view;
  stage.replaceChildren();
  Object.assign(picture, {svg: null, nodes: new Map(), edges: [], named: [], folds: new Map(), pointed: undefined});
  const folded = pkg && $(pictureID(pkg, view.graph) + '-folded');
  $('unfold').hidden = !folded;
  $('unfold').setAttribute('aria-pressed', String(Boolean(unfolded)));
  if (!pkg) return;
  const svg = (!unfolded && folded || pictureOf(pkg, view.graph))?.content.querySelector('svg')?.cloneNode(true);
  if (!svg) {
    stage.append(make('p', {class: 'no-picture'}, `There is no picture of this package${view.item.noPicture ? ': ' + view.item.noPicture : ''}. The details of each bundle are in the panel.`));
    return;
  }
  attachPicture(svg);
  applyTheme();
  zoomInitially();
};

/** Shows a picture. Its nodes become buttons, one of which is a tab stop. */
const attachPicture = svg => {
  svg.setAttribute('role', 'group');
  if (!svg.hasAttribute('aria-labelledby')) svg.setAttribute('aria-label', visible(`Upgrade graph of ${view.pkg.title}`));
  const box = svg.viewBox.baseVal;
  Object.assign(picture, {svg, width: box?.width || 300, height: box?.height || 150});
  for (const node of svg.querySelectorAll('g.node[id]')) {
    node.setAttribute('role', 'button');
    node.setAttribute('tabindex', '-1');
    picture.nodes.set(node.id, node);
    if (node.dataset.members) picture.folds.set(node.id, node.dataset.members.split(' '));
  }
  picture.edges = [...svg.querySelectorAll('g.edge')];
  picture.named = [...svg.querySelectorAll('g:is(.graph, .cluster)')].filter(group => group.querySelector(':scope > text'));
  stage.append(svg);
  const first = firstNode();
  first?.setAttribute('tabindex', '0');
};

/** The last version that is stranded or stuck in the first channel that has one, or else the head of the default channel, or the first node. */
const firstNode = () => {
  const c = view.pkg.defaultChannel ?? view.pkg.channels.find(other => other.head >= 0);
  const head = c && c.head >= 0 ? picture.nodes.get(idOf(c.entries[c.head])) : undefined;
  const worst = [...picture.svg.querySelectorAll('.node:is(.stranded, .stuck)[id]')];
  return worst.findLast(node => entryAt(node)?.channel === entryAt(worst[0])?.channel) ?? head ?? picture.nodes.values().next().value;
};

/** The IDs that an ID of a node stands for. */
const membersOf = id => picture.folds.get(id) ?? [id];

/** The node of an entry, which may stand for others too. */
const nodeFor = entry => picture.nodes.get(idOf(entry)) ?? picture.nodes.get([...picture.folds.keys()].find(id => membersOf(id).includes(idOf(entry))));

/** Draws each version, and moves to the first of a node that was folded. */
const unfold = node => {
  const [first] = node ? membersOf(node.id) : [];
  openPackage(true);
  mark();
  if (picture.nodes.has(first)) focusNode(picture.nodes.get(first));
};

const scales = {least: 0.04, most: 4, fit: 1.5};
const legible = 11, readable = 9; // pixels of text: of a part of a picture, and of a whole one

/** Zooms around a point of the screen. */
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
  return Math.min((stage.clientWidth - margin) / picture.width, (stage.clientHeight - margin) / picture.height, scales.fit);
};

/** Keeps the names of the picture and of its channels in sight while it is scrolled sideways. */
const keepNames = () => {
  const left = stage.getBoundingClientRect().left + 4;
  for (const group of picture.named) {
    const place = group.getBoundingClientRect(), names = [...group.querySelectorAll(':scope > text')];
    const width = Math.max(...names.map(t => t.getBBox().width)) * picture.scale;
    const shift = Math.max(0, Math.min(left - place.left, place.width - width - 16)) / picture.scale;
    for (const t of names) t.setAttribute('transform', `translate(${shift})`);
  }
};

const zoomBy = factor => zoomTo(picture.scale * factor);
const fit = () => zoomTo(fitting());

/** Shows the whole picture, or of one whose text would be too small then its first node, and with it what fits of the head and of its channel. */
const zoomInitially = () => {
  picture.frame = stage.clientWidth;
  const font = Math.min(...[...picture.svg.querySelectorAll('text[font-size]')].map(t => t.getAttribute('font-size')));
  zoomTo(fitting() * font < readable ? legible / font : fitting());
  const node = firstNode(), entry = entryAt(node), head = entry && nodeFor(entry.channel.entries[entry.channel.head] ?? entry);
  const channel = entry && picture.svg.querySelector(`#c${entry.channel.at}`);
  if (node) center(node);
  for (const shown of [channel, head, node]) if (shown) scrollToShow(shown);
};

const center = element => {
  const place = element.getBoundingClientRect();
  const frame = stage.getBoundingClientRect();
  stage.scrollLeft += place.left + place.width / 2 - frame.left - frame.width / 2;
  stage.scrollTop += place.top + place.height / 2 - frame.top - frame.height / 2;
};

/** Scrolls the stage, and nothing around it, until an element is visible. */
const scrollToShow = element => {
  const margin = 24;
  const place = element.getBoundingClientRect();
  const frame = stage.getBoundingClientRect();
  const shift = (low, high, least, greatest) => low < least ? low - least : high > greatest ? Math.min(high - greatest, low - least) : 0;
  stage.scrollLeft += shift(place.left - margin, place.right + margin, frame.left, frame.left + stage.clientWidth);
  stage.scrollTop += shift(place.top - margin, place.bottom + margin, frame.top, frame.top + stage.clientHeight);
};

/** Scrolls to the entry or channel of the hash, if it has changed. */
let revealed = '';
const reveal = () => {
  const entry = view.bundle && entryOf(view.bundle, view.channel);
  const id = entry ? idOf(entry) : view.channel ? `c${view.channel.at}` : '';
  const key = `${view.pkg?.title} ${id}`;
  const element = entry ? nodeFor(entry) : id && picture.svg?.querySelector('#' + CSS.escape(id));
  if (element && key !== revealed) {
    if (entry) scrollToShow(element);
    else showChannel(view.channel, element);
  }
  revealed = key;
};

const showChannel = (channel, cluster) => {
  const head = channel.head >= 0 && picture.nodes.get(idOf(channel.entries[channel.head]));
  scrollToShow(cluster);
  if (head) scrollToShow(head);
};

const showBar = () => {
  const {pkg} = view;
  fill($('package-name'), [pkg && name(pkg.title), pkg?.deprecation !== undefined && badge('deprecated', 'deprecated')]);
  fill($('says'), pkg ? [says(view.item)].flat() : []);
  const shown = view.item ? graphsOf(view.item) : [];
  $('graphs').hidden = shown.length < 2;
  fill($('graphs'), shown.map(([graph, title]) => make('button', {type: 'button', class: 'chip', 'data-graph': graph,
    'aria-pressed': String(graph === view.graph), onclick: () => showGraph(graph)}, title)));
  const current = view.channel ?? (view.bundle && entryOf(view.bundle)?.channel);
  const chip = c => make('button', {type: 'button', class: 'chip', 'aria-pressed': String(c === current),
    onclick: () => go({c: c === view.channel ? undefined : c.title, b: undefined})}, nameOrEmpty(c.title));
  fill($('channels'), pkg?.ordered.map(chip) ?? []);
  $('channels').querySelector('[aria-pressed=true]')?.scrollIntoView({block: 'nearest', inline: 'nearest'});
};

/** Shows another picture of the package, with the same bundle if it has that. */
const showGraph = graph => {
  const to = graph === 'before' ? view.item.before : view.item;
  const kept = (key, among) => view[key] && among.has(view[key].title) ? view[key].title : undefined;
  go({graph, c: kept('channel', to.byChannel), b: kept('bundle', to.byName)});
};
