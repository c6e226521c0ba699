/* The details of a package or bundle. */

const section = (title, ...children) => make('section', {}, make('h4', {}, title), ...children);
const list = (items, cls) => make('ul', {class: cls ?? 'plain'}, items.map(item => make('li', {}, item)));

/** A list, folded if it is long. */
const folded = (items, what) => items.length <= 8 ? list(items)
  : make('details', {}, make('summary', {}, plural(items.length, what)), list(items));

const badge = (kind, label) => make('span', {class: `mark mark-${kind}`}, label);

const showFacts = () => {
  const {pkg, bundle} = view;
  fill($('facts'), !pkg ? [] : bundle ? bundleFacts(bundle, entryOf(bundle, view.channel)) : packageFacts(pkg));
  $('facts').scrollTop = 0;
};

const packageFacts = pkg => [
  make('h3', {}, name(pkg.title)),
  make('div', {class: 'marks'}, (!pkg.now || view.item.removed) && marks(view.item)),
  pkg.now && !view.item.removed && make('p', {class: 'quiet'}, 'This is how it was before the change.'),
  (!pkg.now || view.item.removed) && toldSection(view.item),
  deprecations([[pkg, 'The package']]),
  make('table', {class: 'channels'},
    make('thead', {}, make('tr', {}, ['Channel', 'Head', 'Entries', 'Stuck'].map(h => make('th', {scope: 'col'}, h)))),
    make('tbody', {}, pkg.ordered.map(channelFacts))),
  pkg.channels.length === 0 && make('p', {}, isElsewhere(pkg) ? `OpenShift ${active.ocp || data.command.newest} does not have the package.` : 'The package has no channels.'),
  ...dependencySections(pkg),
  withoutChannel(pkg),
  pkg.readiness && readiness(pkg.readiness),
  ...findingsSections([...pkg.now && !view.item.removed ? pkg.findings : allFindings(view.item), ...single ? whole.findings : []], true),
  where(pkg.pos) && section('Defined in', source(pkg.pos)),
  view.item.removed ? command('diff', [pkg.title], []) : data.change ? command('render', [pkg.title], ['-o', 'change.svg'], true) : command('render', [view.channel ? `${pkg.title}/${view.channel.title}` : pkg.title], ['-o', 'graph.svg']),
];

/** What OLM v1 does with the package. */
const readiness = r => section('OLM v1',
  make('p', {}, `operator-controller ${r.release}: `, ...r.verdict === 'unknown' ? ['it is not known whether ', name(text(r.chosen)), ' can be installed.'] : [name(text(r.chosen)), r.verdict === 'gate' ? ' needs a feature gate.' : ` is ${r.verdict}.`]),
  r.blockers && list(r.blockers.map(([what, ...pos]) => make('span', {}, text(what), ' ', source(pos)))),
  r.notKnown && list(r.notKnown.map(what => make('span', {class: 'quiet'}, `Not known: ${text(what)}`))));

const channelFacts = c => make('tr', {},
  make('th', {scope: 'row'}, linkHere({c: c.title}, nameOrEmpty(c.title)), c === c.pkg.defaultChannel && make('span', {class: 'quiet'}, ' default'),
    c.deprecation !== undefined && badge('deprecated', 'deprecated'), c.error && make('p', {class: 'bad'}, toldText(c.pkg.now ?? c.pkg, c.error))),
  make('td', {}, c.head >= 0 ? linkHere({c: c.title, b: c.entries[c.head].of.title}, name(versionAt(c, c.head))) : '–'),
  make('td', {class: 'number'}, c.newest.length), make('td', {class: 'number'}, c.error ? badge('stuck', 'all') : c.stuck > 0 ? badge('stuck', c.stuck) : '0'));

/** The bundles that are in no channel. */
const withoutChannel = pkg => {
  const bundles = pkg.bundles.filter(b => b.entries.length === 0);
  return bundles.length > 0 && section('In no channel', folded(bundles.map(b => linkHere({b: b.title}, name(b.title))), 'bundle'));
};

const deprecations = things => {
  const items = things.filter(([thing]) => thing?.deprecation !== undefined);
  return items.length > 0 && make('div', {class: 'deprecations'}, items.map(([thing, what]) =>
    make('p', {}, badge('deprecated', `${what} is deprecated`), ' ', text(thing.deprecation))));
};

const bundleFacts = (bundle, entry) => [
  make('p', {class: 'crumb'}, linkHere({}, name(view.pkg.title)), entry && [' / ', nameOrEmpty(entry.channel.title)]),
  make('h3', {}, nameOrEmpty(bundle.title)),
  make('p', {class: 'version'}, bundle.removed ? 'It is not in this catalog, but entries name it.' : bundle.version ? ['Version ', name(bundle.version)] : bundle.defined ? 'It has no version.' : 'The catalog has no bundle of this name.'),
  make('div', {class: 'marks'}, state(bundle, entry)),
  deprecations([[bundle, 'The bundle'], [entry?.channel, 'The channel'], [view.pkg, 'The package']]),
  entry?.unoffered !== undefined && make('p', {}, text(entry.unoffered)),
  entry && upgrades(entry),
  ...findingsSections(bundle.findings.filter(f => !f.inChannel || f.inChannels.includes(entry?.channel)), false),
  entry && declared(entry),
  otherChannels(bundle, entry),
  crdsSection(entry?.crds),
  ...contents(bundle),
  entry && !view.pkg.now && command('path', [view.pkg.title, bundle.title], ['--channel', entry.channel.title, '--olm', data.olm]),
];

const state = (bundle, entry) => [
  entry?.head && badge('head', 'head'),
  entry?.stuck && badge('stuck', 'stuck'),
  entry?.skipped && badge('skipped', 'skipped'),
  entry?.unoffered !== undefined && !entry.skipped && badge('skipped', 'never offered'),
  bundle.deprecation !== undefined && badge('deprecated', 'deprecated'),
  !entry && badge('skipped', 'in no channel'),
];

const upgrades = entry => section('Upgrades', make('dl', {class: 'facts-list'},
  make('dt', {}, 'OLM v0'), make('dd', {}, upgradesV0(entry)),
  make('dt', {}, 'OLM v1'), make('dd', {}, upgradesV1(entry))));

const upgradesV0 = entry => {
  if (entry.channel.error) return `OLM v0 cannot order the channel (${entry.channel.error}): it upgrades nothing.`;
  if (entry.stuck) return make('ul', {class: 'why'}, entry.stuck.map(s => make('li', {}, s)));
  if (entry.v0) return hops(entry, 'v0');
  return entry.head ? 'This is the head.' : 'It is not upgraded.';
};

const upgradesV1 = entry => {
  if (!entry.of.readable) return 'OLM v1 cannot read its version.';
  if (entry.v1 && sameUpgrades(entry)) return 'The same as OLM v0.';
  if (entry.v1) return hops(entry, 'v1');
  if (entry.refused) return refusal(entry);
  return entry.stuckV1 ? 'It has no successor, and is not the newest: it is not upgraded.' : 'It is not upgraded: none of its successors is better.';
};

const refusal = entry => `It is not upgraded: OLM v1 chooses ${text(entry.refused[0])} and does not install it, because it has the property ${text(entry.refused[1])}.`;

const sameUpgrades = entry => !entry.v0?.loop && automaticUpgrades(entry, 'v0').map(e => e.at).join() === automaticUpgrades(entry, 'v1').map(e => e.at).join();

const hops = (entry, olm) => {
  const c = entry[olm], {channel} = entry;
  if (c.loop) return `It is upgraded endlessly: it returns to ${versionAt(channel, c.end)} after ${plural(c.hops, 'upgrade')}.`;
  const end = channel.entries[c.end];
  const route = [entry, ...automaticUpgrades(entry, olm)];
  return [`${plural(c.hops, 'upgrade')} to ${version(end.of)}${end.head ? ', the head' : end.stuck && olm === 'v0' ? ', where it is stuck' : ''}`,
    make('details', {open: c.hops <= 8}, make('summary', {}, 'Steps'), make('ol', {class: 'steps'}, route.slice(1).map((to, i) => stepItem(route[i], to, olm))))];
};

const reference = (field, channel) => {
  const value = text(field[0]);
  const bundle = view.pkg.byName.get(value);
  const target = !bundle?.removed && bundle?.entries.some(e => e.channel === channel);
  return make('span', {}, target ? linkHere({c: channel.title, b: value}, nameOrEmpty(value))
    : [nameOrEmpty(value), make('span', {class: 'quiet'}, ' not in the channel')], ' ', source(field.slice(1)));
};

const declared = entry => section('Declared', make('dl', {class: 'facts-list'},
  make('dt', {}, 'Replaces'), make('dd', {}, entry.replaces ? reference(entry.replaces, entry.channel) : '–'),
  make('dt', {}, 'Skips'), make('dd', {}, entry.skips ? folded(entry.skips.map(s => reference(s, entry.channel)), 'bundle') : '–'),
  make('dt', {}, 'skipRange'), make('dd', {}, entry.range ? [make('code', {}, text(entry.range[0])), ' ', source(entry.range.slice(1))] : '–'),
  entry.pos && [make('dt', {}, 'Entry in'), make('dd', {}, source(entry.pos))]));

const otherChannels = (bundle, entry) => {
  const others = bundle.entries.filter(e => e !== entry);
  return others.length > 0 && section('Also in', list(others.map(e => [
    linkHere({c: e.channel.title, b: bundle.title}, nameOrEmpty(e.channel.title)),
    e.head ? ' as its head' : e.stuck ? ', stuck' : '']).map(parts => make('span', {}, ...parts)), 'plain'));
};

const contents = bundle => [
  bundle.max && section('Cluster', make('p', {}, `It blocks upgrades of OpenShift beyond ${bundle.max}.`)),
  bundle.requires && section('Requires', folded(bundle.requires.map(i => make('div', {class: 'need'}, name(text(i)), providers(view.pkg, i))), 'requirement')),
  bundle.provides && section('APIs', apis(bundle.provides)),
  bundle.image !== undefined && section('Image', make('code', {class: 'image'}, text(bundle.image))),
  bundle.images && section('Related images', folded(bundle.images.map(([title, image]) =>
    make('span', {}, text(title) && make('span', {class: 'quiet'}, text(title)), ' ', make('code', {class: 'image'}, text(image)))), 'image')),
  where(bundle.pos) && section('Defined in', source(bundle.pos)),
];

/** The CRDs of a bundle: versions, versions that may be stored on a cluster, and changes. */
const crdsSection = crds => crds && section('CRDs', folded(crds.map(([title, versions, stored, changed]) => make('div', {class: 'crd'},
  make('strong', {}, name(text(title))), make('div', {}, text(versions)),
  text(stored) && make('div', {class: 'quiet'}, `may be stored: ${text(stored)}`),
  text(changed) !== '-' && make('div', {}, text(changed)))), 'CRD'));

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

/** The findings that pass the filters: of a page of a change, new ones and those that are gone. */
const findingsSections = (findings, linked) => data.change
  ? [findingsSection(findings.filter(f => !f.gone), 'New findings', linked), findingsSection(findings.filter(f => f.gone), 'Findings that no longer occur', linked)]
  : [findingsSection(findings, 'Findings', linked)];

const findingsSection = (findings, title, linked) => {
  if (findings.length === 0) return undefined;
  const sorted = severities.flatMap(s => findings.filter(f => f.severity === s && passes(f)));
  const serious = sorted.filter(f => f.severity !== 'info'), rest = sorted.slice(serious.length);
  const hidden = findings.length - sorted.length;
  return section(title, make('ul', {class: 'findings'}, serious.map(f => findingItem(f, linked))),
    rest.length > 0 && make('details', {open: serious.length === 0 && rest.length <= 3}, make('summary', {}, plural(rest.length, 'info')),
      make('ul', {class: 'findings'}, rest.map(f => findingItem(f, linked)))),
    hidden > 0 && make('p', {class: 'quiet'}, `The filters hide ${plural(hidden, 'finding')}.`));
};

/** Where a finding is shown: at its bundle or channel. */
const findingAddress = f => ({...f.of && {p: f.of.title}, ...f.gone && {graph: 'before'}, ...f.inChannel && {c: f.inChannel.title}, ...f.about && {b: f.about.title}});

const findingItem = (f, linked, withPackage) => make('li', {class: `finding finding-${f.severity}${f.gone ? ' finding-gone' : ''}`},
  make('p', {class: 'finding-head'}, make('span', {class: `mark mark-${f.severity}s`}, data.change ? `${f.gone ? 'gone' : 'new'}: ${f.severity}` : f.severity), ' ', make('code', {}, text(f.rule)), ' ',
    linked && f.of && link(findingAddress(f), withPackage && (f.about || f.inChannel) && [name(f.of.title), ' '], f.about ? nameOrEmpty(f.about.title) : f.inChannel ? nameOrEmpty(f.inChannel.title) : nameOrEmpty(f.of.title))),
  make('p', {}, f.in !== undefined && `${text(f.in)}: `, text(f.message)),
  f.also?.length > 0 && make('p', {}, `Also in ${f.also.length === 1 ? 'channel' : 'channels'} ${f.also.map(text).join(', ')}`),
  !f.gone && text(f.fix) && make('p', {class: 'fix'}, make('strong', {}, 'Fix: '), text(f.fix)),
  f.pos && make('p', {}, source(f.pos)),
  f.details && make('details', {}, make('summary', {}, plural(f.details.length, 'detail')),
    list(f.details.map(([message, ...pos]) => [text(message), ' ', source(pos)]))));
