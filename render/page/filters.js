/* Filters of packages and findings. */

/** Filters by severity, and by what packages have. */
const filters = [
  {key: 'lost', label: 'lost upgrades', title: 'Only packages whose users lose upgrades', says: () => 'users lose upgrades', change: true},
  {key: 'errors', severity: 'error', label: 'errors', title: 'Only errors', one: 'error'},
  {key: 'warnings', severity: 'warning', label: 'warnings', title: 'Only warnings', one: 'warning'},
  {key: 'infos', severity: 'info', label: 'infos', title: 'Only infos', one: 'info', quiet: true},
  {key: 'stuck', label: 'stuck versions', title: 'Only packages with stuck versions', says: p => p.title ? stuckSaid(p) : plural(p.stuck, 'stuck version')},
  {key: 'deprecated', label: 'deprecations', title: 'Only packages with something deprecated', one: 'deprecated', many: 'deprecated'},
  {key: 'olmV1', label: 'OLM v1 obstacles', title: 'Only packages that OLM v1 does not install as it is by default', says: p => `OLM v1: ${p.readiness.verdict === 'gate' ? 'needs a feature gate' : p.readiness.verdict}`},
].filter(f => !f.change || data.change);

/** The filters that are on: severity and show are sets, of which findings have one, and packages all. */
let active = {severity: new Set(), show: new Set(), rule: '', gate: '', ocp: ''};
const written = {ocp: () => active.ocp, severity: () => [...active.severity].join(), show: () => [...active.show].join(), rule: () => active.rule, gate: () => active.gate};

/** Reads the filters of a hash. */
const readFilters = asked => {
  const set = (key, known) => new Set((asked.get(key) ?? '').split(',').filter(value => known.includes(value)));
  active = {severity: set('severity', severities), show: set('show', filters.filter(f => !f.severity).map(f => f.key)), rule: asked.get('rule') ?? '', gate: asked.get('gate') ?? '',
    ocp: data.command.all?.includes(asked.get('ocp')) && asked.get('ocp') !== data.command.newest ? asked.get('ocp') : ''};
};

/** The packages as the catalog of the chosen OpenShift version has them. */
const inVersion = p => p?.others?.[active.ocp] ?? p;
const shownPackages = () => data.packages.map(inVersion);

/** The filters as parameters of a hash. */
const filterParameters = () => Object.fromEntries(Object.entries(written).map(([key, value]) => [key, value()]).filter(([, value]) => value));

/** Changes filters. */
const filter = changes => go(Object.fromEntries(Object.entries(changes).map(([key, value]) => [key, value || undefined])));

const filtersFindings = () => active.severity.size > 0 || active.rule !== '' || active.gate !== '';
const passes = (f, but) => (but === 'severity' || active.severity.size === 0 || active.severity.has(f.severity)) &&
  (but === 'rule' || !active.rule || text(f.rule) === active.rule) && (but === 'gate' || !active.gate || f.gates.includes(active.gate));

const words = () => $('search').value.toLowerCase().split(/\s+/).filter(Boolean);

/** What of each package matches the search: none where its name does. Findings are searched where nothing has such a name. */
const searchAll = () => {
  const wanted = words();
  const by = inFindings => new Map(shownPackages().map(p => [p, search(p, wanted, inFindings)]).filter(([, found]) => found));
  const named = by(false);
  return named.size > 0 ? named : by(true);
};

const search = (p, wanted, inFindings) => {
  const title = p.title.toLowerCase();
  const rest = wanted.filter(w => !title.includes(w));
  if (rest.length === 0) return [];
  const among = (things, texts, address) => things.filter((_, i) => rest.every(w => texts[i].includes(w))).map(thing => ({thing, address: address(thing)}));
  const found = inFindings ? among(p.findings, p.findingWords, findingAddress).map(f => ({...f, finding: true}))
    : [...among(p.bundles, p.words, b => ({p: p.title, b: b.title})), ...among(p.channels, p.channelWords, c => ({p: p.title, c: c.title}))];
  const exact = ({thing}) => thing.title?.toLowerCase() === wanted.join(' ');
  return found.length > 0 ? found.sort((a, b) => exact(b) - exact(a)) : undefined;
};

/** Whether a package passes the filters, but for one. */
const matches = (p, but) => [...active.show].every(key => key === but || p[key] > 0) &&
  (!filtersFindings() || allFindings(p).some(f => passes(f, but)));

/** The packages in view, with what matches the search. The numbers of findings at packages are those that pass. */
let listed = new Map();
const applyFilters = () => {
  const searched = searchAll();
  listed = new Map();
  for (const p of [...shownPackages(), whole]) {
    const counted = p.findings.filter(f => passes(f));
    for (const f of filters) if (f.severity) p[f.key] = count(counted, f.severity);
    p.gone = p.before?.findings.filter(f => passes(f)).length ?? 0;
    if (searched.has(p) && matches(p)) listed.set(p, searched.get(p));
  }
  return [...searched.keys()];
};

const fillSelect = (select, options, chosen) => {
  fill(select, options.map(([value, label]) => make('option', {value, selected: value === chosen}, label)));
};

const showFilters = searched => {
  const focused = document.activeElement?.dataset?.filter;
  fill($('filters'), ['Packages with', ...filters.map(f => {
    const set = f.severity ? 'severity' : 'show', value = f.severity ?? f.key;
    const on = active[set].has(value);
    const has = p => f.severity ? allFindings(p).some(x => x.severity === value && passes(x, 'severity')) : p[f.key] > 0;
    const toggle = () => filter({[set]: [...active[set].symmetricDifference(new Set([value]))].join()});
    const n = searched.filter(p => matches(p, f.severity ? 'severity' : f.key) && has(p)).length;
    return (on || n > 0) && make('button', {type: 'button', class: `filter mark mark-${f.key}`, 'data-filter': f.key, 'aria-pressed': String(on), title: f.title, onclick: toggle},
      `${f.label} `, make('span', {class: 'count'}, n));
  })]);
  if (focused) $('filters').querySelector(`[data-filter="${focused}"]`)?.focus();
  const options = (key, values) => values.map(([value, label]) => [value, `${label} (${plural(data.findings.filter(f => passes(f, key) && (key === 'rule' ? text(f.rule) === value : f.gates.includes(value))).length, 'finding')})`]);
  const rules = [...new Set(data.findings.map(f => text(f.rule)))].sort(natural.compare);
  fillSelect($('filter-rule'), [['', 'any'], ...options('rule', rules.map(r => [r, r]))], active.rule);
  const gates = [...new Set(data.findings.flatMap(f => f.gates))].sort(natural.compare);
  fillSelect($('filter-gate'), [['', 'any'], ...options('gate', gates.map(g => [g, g]))], active.gate);
  $('filter-clear').hidden = active.show.size === 0 && !filtersFindings();
};

/** Shows what passes the filters and the search, but the details. */
const showFiltered = () => {
  showFilters(applyFilters());
  showTotals();
  showViews();
  showList();
  showHome();
};

/** Opens the first that is found: in a package of another name what the list shows of it. */
const openFound = () => {
  if (words().length === 0) return;
  const first = $('packages').firstElementChild;
  (first?.querySelector('.found a') ?? first?.querySelector('.package-link'))?.click();
};
