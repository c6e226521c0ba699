/* The data. */

const $ = id => document.getElementById(id);
const data = JSON.parse($('data').textContent);
const text = i => data.texts[i];
const single = data.packages.length === 1;
const severities = ['error', 'warning', 'info'];

/** Escapes control and bidirectional characters. */
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
  fill(element, children.flat());
  return element;
};

/** Sets the children of an element, without those that are false, empty or undefined. */
const fill = (element, children) => {
  const shown = children.filter(child => child || child === 0);
  element.replaceChildren(...shown.map(child => child instanceof Node ? child : visible(String(child))));
};

const plural = (n, one, many = one + 's') => `${n} ${n === 1 ? one : many}`;
const name = s => make('bdi', {class: /[^\s-]{20}/.test(s) ? 'name' : 'name short'}, s);
const nameOrEmpty = s => s === '' ? make('em', {}, '(no name)') : name(s);

const natural = new Intl.Collator('en', {numeric: true});

/** Adds names and references in place of indexes to the data of a package. */
const unpackPackage = (p, at) => {
  p.at = at;
  p.title = text(p.name);
  p.bundles.forEach((b, i) => Object.assign(b, {id: i, title: text(b.name), entries: [], findings: []}));
  p.byName = new Map(p.bundles.map(b => [b.title, b]));
  p.channels.forEach((c, i) => unpackChannel(p, c, i));
  p.defaultChannel = p.channels[p.default];
  if (p.before) unpackPackage(Object.assign(p.before, {now: p}), at);
  for (const [ocp, other] of Object.entries(p.others ?? {})) unpackPackage(Object.assign(other, {newest: p}), `${at}-v${ocp}`);
  p.ordered = [...p.channels].sort((a, b) => (b === p.defaultChannel) - (a === p.defaultChannel) || natural.compare(b.title, a.title));
  p.byChannel = new Map(p.channels.map(c => [c.title, c]));
  p.findings = [];
};

const unpackChannel = (p, c, i) => {
  Object.assign(c, {at: i, title: text(c.name), pkg: p, findings: [], before: {}});
  c.entries.forEach((e, at) => Object.assign(e, {at, channel: c, of: p.bundles[e.bundle]}));
  c.removed ??= [];
  for (const at of [...c.newest, ...c.removed]) c.entries[at].of.entries.push(c.entries[at]);
  c.stuck = c.entries.filter(e => e.stuck).length;
};

const attachFinding = finding => {
  const found = finding.package === undefined ? undefined : packages.get(text(finding.package));
  const p = finding.gone ? found?.before : finding.ocp ? found?.others?.[finding.ocp] : found;
  if (!p) return;
  finding.of = p;
  p.findings.push(finding);
  const channel = finding.channel === undefined ? undefined : p.byChannel.get(text(finding.channel));
  const bundle = finding.bundle === undefined ? undefined : p.byName.get(text(finding.bundle));
  const channels = [channel, ...(finding.also ?? []).map(c => p.byChannel.get(text(c)))].filter(c => c);
  Object.assign(finding, {inChannel: channel, inChannels: channels, about: bundle});
  for (const about of bundle ? [bundle] : channels) about.findings.push(finding);
};

const count = (findings, severity) => findings.filter(f => f.severity === severity).length;

data.packages.forEach(unpackPackage);
const packages = new Map(data.packages.map(p => [p.title, p]));
data.findings.forEach(attachFinding);
for (const told of data.change?.told ?? []) {
  for (const p of told.packages.map(i => packages.get(text(i)))) p.told = told;
}
const allFindings = p => [...p.findings, ...p.before?.findings ?? []];
for (const p of data.packages.flatMap(p => [p, ...Object.values(p.others ?? {})])) {
  p.lost = p.told?.rows.filter(row => row.bad).length ?? 0;
  p.stuck = p.bundles.filter(b => b.entries.some(e => e.stuck)).length;
  p.deprecated = [p, ...p.channels, ...p.bundles].filter(x => x.deprecation !== undefined).length;
  p.olmV1 = ['blocked', 'gate'].includes(p.readiness?.verdict) ? 1 : 0;
  p.words = p.bundles.map(b => `${b.title} ${b.version ?? ''}`.toLowerCase());
  p.channelWords = p.channels.map(c => c.title.toLowerCase());
  p.findingWords = p.findings.map(f => `${text(f.rule)} ${text(f.message)}`.toLowerCase());
}

const version = bundle => bundle.version || bundle.title;
const versionAt = (channel, at) => version(channel.entries[at].of);

const where = pos => pos?.length > 0 ? text(pos[0]) + (pos[1] > 0 ? `:${pos[1]}` : '') : '';
const source = pos => where(pos) && make('span', {class: 'where'}, where(pos));
