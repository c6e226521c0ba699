/* The path between two bundles. */

const kinds = {replaces: to => to.replaces, skips: (to, name) => to.skips?.find(s => s[0] === name), 'same version': to => to.of.same, skipRange: to => to.range};
const step = (from, to, kind) => ({from, to, kind, field: kinds[kind](to, from.of.name) ?? []});

/** The automatic upgrades of OLM v0 to an entry; undefined if they do not lead to it. */
const pathV0 = (from, to) => {
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

/** What the paths from an entry to those in newest begin with: see entryData.Paths. */
const beginnings = from => {
  const all = [];
  for (let i = 0; i < from.paths?.length; i += 2) all.push(...Array(from.paths[i]).fill(from.paths[i + 1]));
  return all;
};

const directKinds = {'-3': 'skipRange', '-4': 'same version'};

/** A shortest path if versions can be requested of OLM v1; undefined if there is none. */
const pathV1 = (from, to) => {
  const steps = [], {channel} = from;
  const begins = (at, end) => (at.beginnings ??= beginnings(at))[channel.newest.indexOf(end.at)] ?? -1;
  for (let at = from; at !== to;) {
    const begin = begins(at, to);
    if (begin === -1) return undefined;
    const then = begin < 0 ? to : channel.entries[begin];
    const kind = directKinds[begins(at, then)] ?? (then.replaces?.[0] === at.of.name ? 'replaces' : 'skips');
    steps.push(step(at, then, kind));
    at = then;
  }
  return steps;
};

const pathBetween = (from, to, olm) => olm === 'v1' ? pathV1(from, to) : pathV0(from, to);
const automatic = (s, olm) => next(s.from, olm) === s.to;

/** The channel of the path: that of the hash, or one that has both bundles, the default channel first. */
const pathChannel = () => {
  const {pkg, channel, from, to} = view;
  const holds = (c, b) => !b || b.entries.some(e => e.channel === c);
  const defaultChannel = pkg.defaultChannel;
  const order = [...channel ? [channel] : [], ...defaultChannel ? [defaultChannel] : [], ...pkg.channels];
  return order.find(c => holds(c, from) && holds(c, to)) ?? order.find(c => holds(c, from)) ?? order[0];
};

/** The answer to the question in the hash. */
const answer = () => {
  const channel = pathChannel();
  const [from, to] = [view.from, view.to].map(b => b.entries.find(e => e.channel === channel));
  return {channel, from, to, steps: from && to && pathBetween(from, to, view.olm)};
};

const fillSelect = (select, options, chosen) => {
  fill(select, options.map(([value, label]) => make('option', {value, selected: value === chosen}, label)));
};

/** A bundle in a select: its version first, which a narrow one does not cut off. */
const label = b => (shortened(view.pkg, b) === b.version || !b.version ? shortened(view.pkg, b) : `${b.version} (${b.title})`) + (b.removed ? ', not in this catalog' : '');
const shortened = (p, b) => b.title === `${p.title}.v${b.version}` ? b.version : b.title;

const showPath = () => {
  const {pkg, from, to, olm} = view;
  if (!pkg || pkg.channels.length === 0) {
    fill($('path-result'), []);
    return;
  }
  const channel = pathChannel();
  const bundles = channel.newest.map(at => channel.entries[at].of);
  const removed = channel.removed.map(at => channel.entries[at].of);
  const listed = (b, all) => b && !all.includes(b) ? [...all, b] : all;
  const options = (b, all) => [['', 'choose …'], ...listed(b, all).map(other => [other.title, label(other)])];
  fillSelect($('path-channel'), pkg.ordered.map(c => [c.title, c.title]), channel.title);
  fillSelect($('path-from'), options(from, [...bundles, ...removed]), from?.title ?? '');
  fillSelect($('path-to'), options(to, bundles), to?.title ?? '');
  for (const radio of $('path-form').elements.olm) radio.checked = radio.value === olm;
  const about = olm === 'v1' && make('p', {class: 'quiet'}, 'For a ClusterExtension with channel ', nameOrEmpty(channel.title), '.');
  const asked = from && to && command('path', [pkg.title, from.title, to.title], ['--channel', channel.title, '--olm', olm]);
  fill($('path-result'), from && to ? [about, ...result(answer()), asked] : [make('p', {class: 'quiet'}, 'Choose two versions, or click on two bundles with Shift.')]);
};

const result = ({channel, from, to, steps}) => {
  if (!from || !to) return [make('p', {class: 'verdict bad'}, `Channel ${channel.title} has no entry ${(from ? view.to : view.from).title}.`), channelsWithPath(channel)];
  if (from === to) return [make('p', {class: 'verdict'}, `Nothing to do: ${version(from.of)} is already installed.`), furtherUpgrades(from, to)];
  if (view.olm === 'v1' && channel.noPaths) {
    return [make('p', {class: 'verdict'}, 'This page does not know.'), make('p', {}, `Channel ${channel.title} has ${plural(channel.newest.length, 'version')}, and a page has no room for the paths of OLM v1 between so many: the command below finds them.`)];
  }
  if (!steps) return noPath(from, to);
  const ending = steps.every(s => automatic(s, view.olm)) ? ', automatic' : '';
  return [
    make('p', {class: 'verdict'}, `${version(from.of)} to ${version(to.of)}${to.head ? ', the head' : ''}: ${plural(steps.length, 'upgrade')}${ending}`),
    make('ol', {class: 'steps'}, steps.map(stepItem)),
    furtherUpgrades(from, to),
  ];
};

const stepItem = s => make('li', {},
  make('p', {class: 'hop'}, bundleLink(s.from), ' → ', bundleLink(s.to)),
  make('p', {class: 'reason'}, reason(s), ' ', source(s.field.slice(1)),
    !automatic(s, view.olm) && make('span', {class: 'quiet'}, ` if version ${version(s.to.of)} is requested`)),
  notes(s).map(note => make('p', {class: 'note'}, note)));

const bundleLink = entry => {
  const a = linkHere({...Object.fromEntries(view.asked), c: entry.channel.title, b: entry.of.title}, name(version(entry.of)));
  a.addEventListener('click', () => openTab('facts'));
  return a;
};

const reason = s => s.kind === 'same version' ? `has the same version as ${s.from.of.title}` : s.kind === 'skipRange' ? `skipRange "${text(s.field[0])}"` : `${s.kind} ${version(s.from.of)}`;

/** Notes on a step. */
const notes = ({from, to}) => [
  ...(next(from, view.olm) === to && from[view.olm].notes || []).map(text),
  to.of.deprecation !== undefined && `deprecated: ${text(to.of.deprecation)}`,
  to.of.max && to.of.max !== from.of.max && `blocks upgrades of OpenShift beyond ${to.of.max}`,
  ...(to.of.requires ?? []).filter(i => !from.of.requires?.includes(i)).map(i => `requires ${text(i)}`),
].filter(Boolean);

/** The automatic upgrades beyond the target. */
const furtherUpgrades = (from, to) => {
  const passed = automaticUpgrades(from, view.olm);
  const beyond = from === to ? passed : passed.slice(passed.indexOf(to) + 1);
  if (beyond.length === 0 || from !== to && !passed.includes(to)) return undefined;
  const hold = view.olm === 'v1' ? 'set that version in the ClusterExtension' : 'set installPlanApproval: Manual';
  return make('p', {}, `OLM ${view.olm} does not stop there: it upgrades automatically to ${version(beyond.at(-1).of)} (${plural(beyond.length, 'more upgrade')}). To stop, ${hold}.`);
};

const noPath = (from, to) => [
  make('p', {class: 'verdict bad'}, `There is no upgrade path from ${label(from.of)} to ${label(to.of)}.`),
  make('ul', {class: 'why'}, whyNot(from, to).filter(Boolean).map(s => make('li', {}, s))),
  channelsWithPath(from.channel),
];

const older = (a, b) => a.of.rank >= 0 && b.of.rank >= 0 && a.of.rank < b.of.rank;

/** Why there is no path: what is known of its ends, and where the automatic upgrades end. */
const whyNot = (from, to) => {
  const {channel} = from, v0 = view.olm === 'v0';
  if (v0 && channel.error) return [`OLM v0 cannot order the channel (${channel.error}): it upgrades nothing.`];
  const unread = v0 ? [] : [from, to].filter(e => !e.of.readable);
  if (unread.length > 0) return unread.map(e => `OLM v1 cannot read the version of ${e.of.title}.`);
  const end = [from, ...automaticUpgrades(from, view.olm)].at(-1);
  return [
    older(to, from) && `${version(to.of)} is older than ${version(from.of)}, and there is no downgrade.`,
    v0 && to.unoffered !== undefined && text(to.unoffered),
    !v0 && to.of.refused !== undefined && `OLM v1 does not install ${version(to.of)}, because it has the property ${text(to.of.refused)}.`,
    ...older(to, from) ? [] : v0 && end.stuck || [`OLM ${view.olm} upgrades ${version(from.of)} ${end === from ? 'to no other version' : `to ${version(end.of)}`} automatically.`],
    !v0 && end.refused && refusal(end),
  ];
};

/** The other channels that have a path. */
const channelsWithPath = channel => {
  const found = view.pkg.channels.filter(c => {
    const [from, to] = [view.from, view.to].map(b => b.entries.find(e => e.channel === c));
    return c !== channel && from && to && pathBetween(from, to, view.olm);
  });
  const ask = c => linkHere({c: c.title, from: view.from.title, to: view.to.title, olm: view.olm}, nameOrEmpty(c.title));
  const unknown = view.pkg.channels.filter(c => c !== channel && view.olm === 'v1' && c.noPaths).map(c => c.title);
  if (found.length === 0) return unknown.length > 0 && make('p', {}, `This page does not know of ${plural(unknown.length, 'larger channel')}: ${unknown.slice(0, 5).join(', ')}${unknown.length > 5 ? ' …' : ''}.`);
  return make('p', {}, 'There is an upgrade path in channel ', ...found.flatMap((c, i) => [i > 0 && ', ', ask(c)]), ': switch the subscription to it.');
};

/** Sets one end of the path: the given one, or the one that is missing. */
const pick = (entry, end) => {
  const which = end ?? (view.from && !view.to ? 'to' : 'from');
  const both = which === 'from' && !end ? {to: undefined} : {};
  const other = which === 'to' ? view.from : view.to;
  const shared = !other || other.entries.some(e => e.channel === entry.channel) ? entry.channel.title : undefined;
  openTab('path');
  go({...graphOf(entry), ...both, [which]: entry.of.title, olm: view.olm, c: shared});
};

const clearPath = () => go({from: undefined, to: undefined, olm: undefined});

const watchPath = () => {
  const form = $('path-form');
  const value = id => $(id).value || undefined;
  form.addEventListener('change', () => {
    const channel = view.pkg.byChannel.get($('path-channel').value);
    const kept = id => [...channel.newest, ...channel.removed].some(at => channel.entries[at].of.title === value(id)) ? value(id) : undefined;
    go({c: channel.title, from: kept('path-from'), to: kept('path-to'), olm: form.elements.olm.value});
  });
  form.addEventListener('submit', e => e.preventDefault());
  $('path-swap').addEventListener('click', () => go({from: value('path-to'), to: value('path-from')}));
  $('path-clear').addEventListener('click', clearPath);
};
