/* What is said of the catalog and of its packages: totals, what changed, and the commands that say it. */

const bundlesOf = p => p.bundles.filter(b => b.defined).length;

const wholeInView = () => active.show.size === 0 && words().length === 0 && whole.findings.some(f => passes(f));

const showTotals = () => {
  const shown = [...listed.keys()], sum = key => shown.reduce((n, p) => n + p[key], wholeInView() ? whole[key] ?? 0 : 0);
  const of = Object.fromEntries(['errors', 'warnings', 'infos', 'stuck', 'gone'].map(key => [key, sum(key)]));
  const here = all => all.filter(p => !isElsewhere(p)).length, all = here(data.packages);
  const packagesShown = here(shown) < all ? `${here(shown)} of ${plural(all, 'package')}` : plural(all, 'package');
  const bundles = plural(shown.reduce((n, p) => n + bundlesOf(p), 0), 'bundle');
  fill($('totals'), [make('span', {}, !single && `${packagesShown} · `, bundles), ...marks(of)]);
};

/** The links to the list of packages, which keep the filters, and the choice of the OpenShift version. */
const showViews = () => {
  const address = '#' + new URLSearchParams(filterParameters());
  $('home').href = address;
  const {all = [], newest} = data.command;
  $('versions').hidden = all.length < 2;
  if (all.length > 1) $('home').textContent = visible(data.title.replace(/, OpenShift [\d.]+$/, ''));
  fillSelect($('versions'), all.map(v => [v, `OpenShift ${v}`]), active.ocp || newest);
  fill($('views'), [!single && make('a', {href: address, 'aria-current': !view.pkg && 'page'}, data.change ? 'Change' : 'Packages')]);
};

const showHome = () => {
  const list = !view.pkg;
  fill($('headline'), list && data.change ? [make('h2', {}, effectOfAll()), make('p', {}, data.change.headline), make('p', {class: 'quiet'}, 'Compared with ', name(data.command.base), '.')] : []);
  fill($('commands'), list ? [data.change && command('diff', data.command.packages?.length === 1 ? data.command.packages : [], []),
    command('lint', [], lintFlags(), data.change !== undefined)] : []);
};

/** What a new head changes, folded. */
const contentsOf = ({title, first, parts}) => make('details', {class: 'contents'}, make('summary', {class: first && 'bad'}, text(title)),
  parts.flatMap(part => [make('h5', {}, text(part.title)), list(part.rows.map(text))]));

/** A sentence about a change, with links to the channels and bundles that it names. */
const toldRow = (p, row) => make('span', {class: row.bad && 'bad'}, row.in !== undefined && `${text(row.in)}: `,
  row.channels && [`${row.channels.length === 1 ? 'channel' : 'channels'} `, ...row.channels.map(text).flatMap((c, i) => [i > 0 && ', ', channelLink(p, c)]), ': '].filter(Boolean),
  toldText(p, text(row.text)));

/** A sentence with links to bundles, and long lists of names folded. */
const toldText = (p, s) => s.split(/((?:[^\s,]+, ){8,}[^\s,:]+)/).map((part, i) => i % 2 ? foldedNames(p, part.split(', ')) : linked(p, part)).flat();

const linked = (p, s) => s.split(/([\s,;:]+)/).map(word => bundleLinked(p, word) || word);

/** The first names of a long list, and the others folded. */
const foldedNames = (p, names) => [...linked(p, names.slice(0, 5).join(', ')), ' ',
  make('details', {class: 'more'}, make('summary', {}, `and ${names.length - 5} more`), linked(p, names.slice(5).join(', ')))];

const channelLink = (p, title) => p.byChannel.has(title) ? link({p: p.title, c: title}, nameOrEmpty(title))
  : p.before?.byChannel.has(title) ? link({p: p.title, graph: 'before', c: title}, nameOrEmpty(title)) : nameOrEmpty(title);

const shortened = (p, b) => b.title === `${p.title}.v${b.version}` ? b.version : b.title;

/** A link to a bundle, now or before, that says its version; undefined if a word is no bundle. */
const bundleLinked = (p, word) => {
  const here = b => b && !b.removed && b;
  const now = here(p.byName.get(word)), found = now || here(p.before?.byName.get(word));
  return found && link({p: p.title, ...!now && {graph: 'before'}, b: word}, name(shortened(p, found)));
};

/** What changed in a package, if that is not said of several at once. */
const toldRows = p => p.told?.packages.length === 1 && list(p.told.rows.map(row => toldRow(p, row)));
const toldSection = p => toldRows(p) && section('Changes', toldRows(p), p.told.contents?.map(contentsOf));

/** The versions whose users a change strands, and the number of automatic upgrades that there were not before it. */
const stranded = p => [...new Set((p.told?.rows ?? []).flatMap(row => row.stranded ?? []).map(text))];
const newUpgrades = p => p.channels.flatMap(c => {
  const next = e => e?.v0 && e.channel.entries[e.v0.next].of.title;
  const before = new Map(p.before?.byChannel.get(c.title)?.entries.map(e => [e.of.title, next(e)]));
  return c.entries.filter(e => e.v0 && next(e) !== before.get(e.of.title));
}).length;

/** What a change does to users, as the first sentence about it: of a package, and of all packages. */
const nobodyLoses = n => ['No users lose upgrades', n > 0 && `: ${plural(n, 'new upgrade')}`, '.'];
const effect = p => {
  const on = stranded(p);
  return p.removed ? 'The package is removed. This is how it was.' : !p.before ? 'The package is new.'
    : on.length > 0 ? ['Users on ', toldText(p, on.join(', ')), ' are stranded.'] : p.lost > 0 ? 'Users lose upgrades.' : nobodyLoses(newUpgrades(p));
};
const effectOfAll = () => {
  const where = all => all.length === 1 ? all[0].title : plural(all.length, 'package');
  const losing = data.packages.filter(p => p.lost > 0);
  const stranding = losing.filter(p => stranded(p).length > 0), others = losing.filter(p => !stranding.includes(p));
  const versions = plural(stranding.reduce((n, p) => n + stranded(p).length, 0), 'version');
  return losing.length === 0 ? nobodyLoses(data.packages.reduce((n, p) => n + newUpgrades(p), 0))
    : stranding.length === 0 ? `Users of ${where(others)} lose upgrades.`
    : `Users on ${versions} of ${where(stranding)} are stranded${others.length > 0 ? `, and users of ${where(others)} lose upgrades` : ''}.`;
};

/** The sentences above the picture of a package: the worst of it. */
const says = p => {
  if (data.change) {
    const lost = (p.told?.rows ?? []).filter(row => row.bad);
    return [make('p', {class: lost.length > 0 && 'bad'}, p.told?.in !== undefined && `${text(p.told.in)}: `, ...[effect(p)].flat(2)),
      !p.removed && p.before && lost.length > 0 && list(lost.map(row => toldRow(p, row))), p.openShift && text(p.told?.in ?? 0) !== `OpenShift ${p.openShift}` && make('p', {class: 'quiet'}, `The graphs are those of OpenShift ${p.openShift}.`)];
  }
  const unordered = p.channels.filter(c => c.error).map(c => make('p', {class: 'bad'}, `OLM v0 cannot order channel ${c.title}: `, toldText(p, c.error)));
  return unordered.length > 0 ? unordered : p.stuck > 0 ? make('p', {class: 'bad'}, stuckSaid(p)) : p.bundles.length > 0 && 'No version is stuck.';
};

/** As in the title of the picture, which counts the versions that are in a channel. */
const stuckSaid = p => `${p.stuck} of ${plural(p.bundles.filter(b => b.entries.length > 0 && !b.removed).length, 'version')} ${p.stuck === 1 ? 'is' : 'are'} stuck`;

/** The flags of lint for the findings in view. */
const lintFlags = () => {
  const least = ['info', 'warning', 'error'].find(s => active.severity.size === 0 || active.severity.has(s));
  const shown = [...listed.keys()].filter(p => !p.removed);
  const some = words().length > 0 || active.show.size > 0 || data.command.packages;
  return [...data.change ? ['--new'] : [], '--min-severity', least, ...active.rule ? ['--only', active.rule] : [], ...active.gate ? ['--gate', active.gate] : [],
    ...some ? shown.flatMap(p => ['--package', p.title]) : []];
};
