/* The list of packages, the worst first: beside a package, or as the whole page, then with what changed and the findings. */

const marks = of => [
  ...filters.filter(f => of[f.key] > 0 && (!f.quiet || active.severity.has(f.severity))).map(f =>
    make('span', {class: `mark mark-${f.key}`}, f.says ? f.says(of) : `${data.change && f.severity ? 'new: ' : ''}${plural(of[f.key], f.one, f.many)}`)),
  of.gone > 0 && make('span', {class: 'mark mark-head'}, `${plural(of.gone, 'finding')} gone`),
];

/** The findings that are about no package. */
const whole = {title: 'The catalog as a whole', findings: data.findings.filter(f => f.package === undefined), bundles: []};

const worse = (a, b) => ['errors', 'stuck', 'warnings', 'olmV1', 'deprecated'].reduce((order, key) => order || (b[key] ?? 0) - (a[key] ?? 0), 0);

const showList = () => {
  const items = [...listed.keys(), ...!view.pkg && wholeInView() ? [whole] : []];
  if (!data.change) items.sort(worse);
  const wanted = $('search').value.trim().toLowerCase(), named = p => (p.title.toLowerCase() === wanted) + listed.get(p)?.some(({thing}) => thing.title?.toLowerCase() === wanted);
  if (wanted) items.sort((a, b) => named(b) - named(a));
  fill($('packages'), items.map((p, i) => packageItem(p, i === 0)));
  $('shown').textContent = listed.size === 0 && data.packages.length > 0 ? 'No package matches.'
    : listed.size < data.packages.length ? `${listed.size} of ${plural(data.packages.length, 'package')}` : plural(listed.size, 'package');
  showSelected();
};

const most = 6;

const packageItem = (p, first) => {
  const found = listed.get(p) ?? [];
  return make('li', {class: 'package', 'data-package': p.title},
    p === whole ? make('strong', {}, p.title) : Object.assign(link({p: p.title}, name(p.title)), {className: 'package-link'}), ' ',
    !view.pkg && p !== whole && make('span', {class: 'quiet'}, inShort(p.removed ? p.before : p), p.told?.in !== undefined && `; ${text(p.told.in)}`),
    found.length > 0 && make('ul', {class: 'found'}, found.slice(0, most).map(({thing, address, finding}) => make('li', {},
      link(address, finding ? make('code', {}, text(thing.rule)) : nameOrEmpty(thing.title)), finding && make('span', {class: 'quiet'}, ' finding'))),
      found.length > most && make('li', {class: 'quiet'}, `and ${found.length - most} more`)),
    !view.pkg && toldRows(p),
    (view.pkg ? justMarks : withFindings)(p, first));
};

const inShort = p => {
  const c = p.defaultChannel;
  return [c && c.head >= 0 && `${versionAt(c, c.head)} in ${c.title || '(no name)'}`, plural(p.channels.length, 'channel'), plural(bundlesOf(p), 'bundle')].filter(Boolean).join(', ');
};

const justMarks = p => make('div', {class: 'marks'}, wholeMark(p), marks(p));

/** The findings of a package, folded but for the first one and what is filtered. They are made when they are shown. */
const withFindings = (p, first) => {
  const all = p === whole ? p.findings : allFindings(p);
  if (!all.some(f => passes(f))) return justMarks(p);
  const shown = make('div');
  const show = e => e.target.open && shown.children.length === 0 && fill(shown, findingsSections(all, p !== whole));
  return make('details', {ontoggle: show, open: filtersFindings() || first && (p.lost ?? 0) + p.errors > 0},
    make('summary', {class: 'marks'}, wholeMark(p), marks(p).filter(Boolean).length > 0 ? marks(p) : plural(count(all, 'info'), 'info')), shown);
};

/** Whether only other OpenShift versions have a package. */
const isElsewhere = p => !data.change && data.command.newest && p.bundles.length === 0;

/** That the change adds or removes a package, or that only other OpenShift versions have it. */
const wholeMark = p => p === whole ? [] : !data.change ? [isElsewhere(p) && badge('skipped', `not in ${active.ocp || data.command.newest}`)]
  : [p.removed && badge('errors', 'removed'), !p.before && badge('head', 'new')];

const showSelected = () => {
  for (const item of $('packages').children) {
    const current = item.dataset.package === view.pkg?.title;
    item.classList.toggle('current', current);
    if (current) item.querySelector('.package-link').setAttribute('aria-current', 'page');
  }
};
