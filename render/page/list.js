/* The list of packages. */

const filters = [
  {key: 'errors', label: 'errors', title: 'Only packages with errors', one: 'error'},
  {key: 'warnings', label: 'warnings', title: 'Only packages with warnings', one: 'warning'},
  {key: 'stuck', label: 'stuck', title: 'Only packages with stuck entries', one: 'stuck', many: 'stuck'},
  {key: 'deprecated', label: 'deprecated', title: 'Only packages with something deprecated', one: 'deprecated', many: 'deprecated'},
  {key: 'olmV1', label: 'OLM v1', title: 'Only packages that OLM v1 does not install as it is by default', says: p => `OLM v1: ${p.readiness.verdict}`},
];
const activeFilters = new Set();

const marks = of => filters.filter(f => of[f.key] > 0).map(f =>
  make('span', {class: `mark mark-${f.key}`}, f.says ? f.says(of) : plural(of[f.key], f.one, f.many)));

const showFilters = () => {
  fill($('filters'), filters.map(f => {
    const n = data.packages.filter(p => p[f.key] > 0).length;
    const toggle = event => {
      const on = !activeFilters.delete(f.key);
      if (on) activeFilters.add(f.key);
      event.currentTarget.setAttribute('aria-pressed', on);
      showList();
    };
    return make('button', {type: 'button', class: `filter mark mark-${f.key}`, 'data-filter': f.key, 'aria-pressed': 'false',
      title: f.title, onclick: toggle}, `${f.label} `, make('span', {class: 'count'}, n));
  }));
};

/** The bundles of a package that match the search: none if its name matches, undefined if nothing does. */
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
    if (found && [...activeFilters].every(key => p[key] > 0)) items.push(packageItem(p, found));
  }
  fill($('packages'), items);
  $('shown').textContent = items.length === 0 ? 'No package matches.'
    : items.length < data.packages.length ? `${items.length} of ${plural(data.packages.length, 'package')}` : plural(items.length, 'package');
  showSelected();
};

const most = 6;

const packageItem = (p, found) => {
  const rows = p.ordered.map(channelRow);
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

/* The catalog as a whole. */

const showTotals = () => {
  const sum = key => data.packages.reduce((n, p) => n + p[key], 0);
  const of = {errors: count(data.findings, 'error'), warnings: count(data.findings, 'warning'), stuck: sum('stuck'), deprecated: 0};
  const bundles = data.packages.reduce((n, p) => n + p.bundles.filter(b => b.defined).length, 0);
  const title = data.packages.length > 1 ? [plural(data.packages.length, 'package'), ' · '] : [];
  fill($('totals'), [make('span', {}, ...title, plural(bundles, 'bundle')), ...marks(of)]);
};

const showOverview = () => {
  const general = data.findings.filter(f => f.package === undefined);
  const row = p => {
    const c = p.defaultChannel;
    const head = c && c.head >= 0 ? name(versionAt(c, c.head)) : '–';
    return make('tr', {}, make('th', {scope: 'row'}, link({p: p.title}, name(p.title))), make('td', {}, c ? name(c.title) : '–'),
      make('td', {}, head), make('td', {class: 'number'}, p.channels.length), make('td', {class: 'number'}, p.bundles.filter(b => b.defined).length),
      make('td', {}, make('div', {class: 'marks'}, marks(p))));
  };
  const heads = ['Package', 'Default channel', 'Head', 'Channels', 'Bundles', 'Findings'];
  fill($('overview'), [
    make('h2', {}, plural(data.packages.length, 'package')),
    findingsSection(general, 'Of the catalog as a whole'),
    data.packages.length > 1 && requirements(),
    make('div', {class: 'scroll'}, make('table', {}, make('thead', {}, make('tr', {}, heads.map(h => make('th', {scope: 'col'}, h)))),
      make('tbody', {}, data.packages.map(row))))]);
};
