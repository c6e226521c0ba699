/* The list of packages. */

const marks = of => [
  ...filters.filter(f => of[f.key] > 0 && (!f.quiet || active.severity.has(f.severity))).map(f =>
    make('span', {class: `mark mark-${f.key}`}, f.says ? f.says(of) : `${data.change && f.severity ? 'new: ' : ''}${plural(of[f.key], f.one, f.many)}`)),
  of.gone > 0 && make('span', {class: 'mark mark-head'}, `${plural(of.gone, 'finding')} gone`),
];

const showList = () => {
  const items = [...listed].map(([p, found]) => packageItem(p, found));
  fill($('packages'), items);
  $('shown').textContent = items.length < data.packages.length && items.length === 0 ? 'No package matches.'
    : items.length < data.packages.length ? `${items.length} of ${plural(data.packages.length, 'package')}` : plural(items.length, 'package');
  showSelected();
};

const most = 6;

const packageItem = (p, found) => {
  const rows = (p.removed ? p.before : p).ordered.map(channelRow);
  const shown = rows.length > most ? rows.slice(0, most - 1) : rows;
  const rest = rows.slice(shown.length);
  return make('li', {class: 'package', 'data-package': p.title},
    make('a', {class: 'package-link', href: '#' + new URLSearchParams({p: p.title})}, name(p.title)),
    make('div', {class: 'marks'}, ...wholeMark(p), marks(p)),
    found.length > 0 && make('ul', {class: 'found'}, found.slice(0, most).map(({thing, address, finding}) => make('li', {},
      link(address, finding ? make('code', {}, text(thing.rule)) : nameOrEmpty(thing.title)), finding && make('span', {class: 'quiet'}, ' finding'))),
      found.length > most && make('li', {class: 'quiet'}, `and ${found.length - most} more`)),
    make('ul', {class: 'channel-rows'}, shown),
    rest.length > 0 && make('details', {class: 'more'}, make('summary', {}, plural(rest.length, 'more channel')), make('ul', {class: 'channel-rows'}, rest)));
};

/** That the change adds or removes a package, or that only older OpenShift versions have it. */
const wholeMark = p => !data.change ? [data.command.newest && p.bundles.length === 0 && badge('errors', `not in ${data.command.newest}`)] : [p.removed && badge('errors', 'removed'), !p.before && badge('head', 'new')];

const channelRow = c => make('li', {},
  link({p: c.pkg.title, c: c.title}, nameOrEmpty(c.title)),
  c === c.pkg.defaultChannel && make('span', {class: 'quiet', title: 'the default channel'}, 'default'),
  c.stuck > 0 && make('span', {class: 'mark mark-stuck', title: plural(c.stuck, 'stuck entry', 'stuck entries')}, c.stuck),
  c.deprecation !== undefined && make('span', {class: 'mark mark-deprecated', title: 'deprecated'}, make('span', {class: 'hidden'}, 'deprecated')),
  make('span', {class: 'head-version'}, c.head >= 0 ? name(versionAt(c, c.head)) : c.newest.length > 0 ? 'no head' : 'empty'));

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
