/* The catalog as a whole: what changed, its packages, findings and requirements. */

const bundlesOf = p => p.bundles.filter(b => b.defined).length;

/** The findings in view: those of the packages in view, and of the catalog as a whole unless packages are searched for. */
const findingsInView = () => {
  const all = data.findings.filter(f => passes(f) && (f.of ? listed.has(f.of.now ?? f.of) : active.show.size === 0 && words().length === 0));
  return severities.flatMap(s => all.filter(f => f.severity === s));
};

const showTotals = () => {
  const shown = [...listed.keys()], findings = findingsInView().filter(f => !f.gone);
  const sum = of => shown.reduce((n, p) => n + of(p), 0);
  const of = {errors: count(findings, 'error'), warnings: count(findings, 'warning'), infos: count(findings, 'info'),
    stuck: sum(p => p.stuck), gone: sum(p => p.gone), deprecated: 0};
  const packagesShown = shown.length < data.packages.length ? `${shown.length} of ${plural(data.packages.length, 'package')}` : plural(shown.length, 'package');
  fill($('totals'), [make('span', {}, (data.packages.length > 1 || data.change) && `${packagesShown} · `, plural(sum(bundlesOf), 'bundle')), ...marks(of)]);
};

/** The links to the views. They keep the filters. */
const showViews = () => {
  const address = v => '#' + new URLSearchParams({...v !== homes[0][0] || data.packages.length === 1 ? {v} : {}, ...filterParameters()});
  $('home').href = data.packages.length === 1 && !data.change ? '#' : address(homes[0][0]);
  const shown = data.packages.length === 1 && !data.change ? [['package', 'Graph'], ...homes.slice(1)] : homes;
  const current = view.pkg ? 'package' : view.home;
  fill($('views'), shown.map(([key, title]) => make('a', {href: key === 'package' ? '#' : address(key), 'aria-current': key === current && 'page'}, title)));
};

const homeViews = {
  change: () => changeView(data.change),
  packages: () => packagesView(),
  findings: () => findingsView(),
  requirements: () => [make('h2', {}, 'Requirements'), requirements(), command('render', data.command.packages ?? [], ['--requirements', '-o', 'requirements.svg'])],
};

const showHome = () => fill($('overview'), view.pkg ? [] : homeViews[view.home]());

const packagesView = () => {
  const general = data.findings.filter(f => f.package === undefined);
  const row = p => {
    const c = (p.removed ? p.before : p).defaultChannel;
    const head = c && c.head >= 0 ? name(versionAt(c, c.head)) : '–';
    return make('tr', {}, make('th', {scope: 'row'}, link({p: p.title}, name(p.title))), make('td', {}, c ? name(c.title) : '–'),
      make('td', {}, head), make('td', {class: 'number'}, p.channels.length), make('td', {class: 'number'}, bundlesOf(p)),
      make('td', {}, make('div', {class: 'marks'}, ...wholeMark(p), marks(p))));
  };
  const heads = ['Package', 'Default channel', 'Head', 'Channels', 'Bundles', 'Findings'];
  return [
    make('h2', {}, $('shown').textContent),
    data.packages.length > 0 && make('div', {class: 'scroll'}, make('table', {}, make('thead', {}, make('tr', {}, heads.map(h => make('th', {scope: 'col'}, h)))),
      make('tbody', {}, [...listed.keys()].map(row)))),
    ...findingsSections(general.filter(f => passes(f)), false)];
};

/** What changed: first who loses upgrades. */
const changeView = change => {
  const shown = change.told.map(told => ({...told, packages: told.packages.map(text).filter(title => listed.has(packages.get(title)))})).filter(told => told.packages.length > 0);
  const part = (title, chosen) => {
    const groups = shown.map(told => ({...told, rows: told.rows.filter(chosen), contents: told.rows.some(chosen) && chosen(told.rows[0]) ? told.contents : undefined})).filter(told => told.rows.length > 0);
    return groups.length > 0 && make('section', {class: 'change'}, make('h3', {}, title), groups.map(toldGroup));
  };
  const findings = findingsInView();
  return [
    make('h2', {}, change.headline),
    make('p', {class: 'quiet'}, 'Compared with ', name(data.command.base), '.'),
    part('Who loses upgrades', row => row.bad),
    part('What changed', row => !row.bad),
    ...findingsSections(findings, true),
    command('diff', data.command.packages?.length === 1 ? data.command.packages : [], []),
  ];
};

const toldGroup = ({packages: titles, rows, contents}) => titles.length === 1
  ? make('div', {class: 'told'}, make('h4', {}, link({p: titles[0]}, name(titles[0]))), list(rows.map(row => toldRow(packages.get(titles[0]), row))), contents?.map(contentsOf))
  : make('div', {class: 'told'}, make('h4', {}, rows[0].bad ? 'Removed packages' : 'New packages'), list(titles.map(title => link({p: title}, name(title)))));

/** What a new head changes, folded. */
const contentsOf = ({title, first, parts}) => make('details', {class: 'contents'}, make('summary', {class: first && 'bad'}, text(title)),
  parts.flatMap(part => [make('h5', {}, text(part.title)), list(part.rows.map(text))]));

/** A sentence about a change, with links to the channels and bundles that it names. */
const toldRow = (p, row) => make('span', {class: row.bad && 'bad'},
  row.channels && [`${row.channels.length === 1 ? 'channel' : 'channels'} `, ...row.channels.map(text).flatMap((c, i) => [i > 0 && ', ', channelLink(p, c)]), ': '].filter(Boolean),
  text(row.text).split(/([\s,]+)/).map(word => bundleOf(p, word) ? link(bundleOf(p, word), name(word)) : word));

const channelLink = (p, title) => p.byChannel.has(title) ? link({p: p.title, c: title}, nameOrEmpty(title))
  : p.before?.byChannel.has(title) ? link({p: p.title, graph: 'before', c: title}, nameOrEmpty(title)) : nameOrEmpty(title);

const bundleOf = (p, word) => {
  const here = b => b && !b.removed;
  return here(p.byName.get(word)) ? {p: p.title, b: word} : here(p.before?.byName.get(word)) ? {p: p.title, graph: 'before', b: word} : undefined;
};

const toldSection = p => p.told?.packages.length === 1 && section('Changes', list(p.told.rows.map(row => toldRow(p, row))), p.told.contents?.map(contentsOf));

/** The findings, by rule or by package. */
const findingsView = () => {
  const by = view.asked.get('by') === 'package' ? 'package' : 'rule';
  const findings = findingsInView();
  const key = by === 'rule' ? f => text(f.rule) : f => f.of?.title ?? '';
  const groups = [...Map.groupBy(findings, key)];
  const choice = (value, title) => make('button', {type: 'button', class: 'chip', 'data-by': value, 'aria-pressed': String(by === value), onclick: () => go({by: value})}, title);
  return [
    make('h2', {}, findings.length === data.findings.length ? plural(findings.length, 'finding') : `${findings.length} of ${plural(data.findings.length, 'finding')}`),
    make('div', {class: 'chips by', role: 'group', 'aria-label': 'Group'}, choice('rule', 'By rule'), choice('package', 'By package')),
    ...groups.map(([title, all]) => findingGroup(by, title, all, groups.length <= 3)),
    findings.length === 0 && make('p', {class: 'quiet'}, data.findings.length === 0 ? 'There are none.' : 'The filters hide all.'),
    command('lint', [], lintFlags(), data.change !== undefined),
  ];
};

/** The findings of a rule or a package. Those of a closed group are made when it is opened. */
const findingGroup = (by, title, all, open) => {
  const items = make('ul', {class: 'findings'});
  const about = {errors: count(all, 'error'), warnings: count(all, 'warning'), infos: count(all, 'info')};
  const totals = filters.filter(f => f.severity && about[f.key] > 0).map(f => make('span', {class: `mark mark-${f.key}`}, plural(about[f.key], f.one)));
  const show = e => e.target.open && items.children.length === 0 && fill(items, all.map(f => findingItem(f, true, by === 'rule')));
  const said = by === 'rule' && text(data.rules[all[0].rule]);
  const group = make('details', {class: 'group', ontoggle: show}, make('summary', {},
    by === 'rule' ? make('code', {}, title) : title === '' ? 'The catalog as a whole' : name(title), ' ', said && make('span', {class: 'rule-title'}, said, ' '), make('span', {class: 'marks'}, totals)), items);
  group.open = open;
  return group;
};

/** The flags of lint for the findings in view. */
const lintFlags = () => {
  const least = ['info', 'warning', 'error'].find(s => active.severity.size === 0 || active.severity.has(s));
  const shown = [...listed.keys()].filter(p => !p.removed);
  const some = words().length > 0 || active.show.size > 0 || data.command.packages;
  return [...data.change ? ['--new'] : [], '--min-severity', least, ...active.rule ? ['--only', active.rule] : [], ...active.gate ? ['--gate', active.gate] : [],
    ...some ? shown.flatMap(p => ['--package', p.title]) : []];
};
