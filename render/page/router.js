/* The state of the page is in the hash of its address. */

/** The pictures of a package: several on a page of a change, and of a package in the catalogs for several OpenShift versions. */
const graphs = [['change', 'Change'], ['before', 'Before'], ['after', data.change ? 'After' : 'Upgrades'], ['versions', 'OpenShift versions']];
const pictureID = (p, graph) => `picture-${graph === 'versions' && p.newest ? p.newest.at : p.at}${graph === 'after' ? '' : '-' + graph}`;
const pictureOf = (p, graph) => $(pictureID(p, graph));
const hasGraph = (p, graph) => graph === 'change' ? Boolean(p.before) && !p.removed : graph === 'before' ? Boolean(p.before) : graph === 'after' ? !p.removed && (data.change || p.drawn)
  : Boolean(pictureOf(p, graph));
const graphsOf = p => graphs.filter(([graph]) => hasGraph(p, graph));

/** The packages whose name is the wanted one but for case, or else has it as a part. */
const withPart = wanted => {
  const lower = wanted.toLowerCase(), title = p => p.title.toLowerCase();
  const parts = lower.length < 3 ? [] : data.packages.filter(p => title(p).includes(lower)), same = parts.filter(p => title(p) === lower);
  return same.length > 0 ? same : parts;
};

/** The view of the hash, and problems with names that do not exist. */
const readHash = () => {
  const asked = new URLSearchParams(location.hash.slice(1));
  const view = {asked, problems: []};
  const wanted = asked.get('p') ?? (single ? data.packages[0].title : undefined);
  if (wanted === undefined) return view;
  readPackage(view, wanted);
  return view;
};

/** The package of a name, or the only one with that as a part of its name. */
const readPackage = (view, wanted) => {
  const parts = withPart(wanted);
  view.item = inVersion(packages.get(wanted) ?? (parts.length === 1 ? parts[0] : undefined));
  if (view.item) readGraph(view);
  if (view.item?.title === wanted) return;
  view.problems.push(view.item ? `There is no package “${wanted}”: this is ${view.item.title}.` : parts.length === 0 ? `There is no package “${wanted}”.` : [
    `There is no package “${wanted}”. It is a part of the names of `, ...parts.slice(0, 9).flatMap((p, i) => [i > 0 && ', ', link({...Object.fromEntries(view.asked), p: p.title}, name(p.title))]), parts.length > 9 ? ` and ${parts.length - 9} others.` : '.']);
};

/** Which state of the package is in view, if it is a page of a change. */
const readGraph = view => {
  const known = graphsOf(view.item).map(([graph]) => graph);
  const graph = view.asked.get('graph');
  view.graph = known.includes(graph) ? graph : known[0] ?? 'after';
  if (graph !== null && !known.includes(graph)) view.problems.push(`Package ${view.item.title} has no graph “${graph}”.`);
  view.pkg = view.graph === 'before' ? view.item.before : view.item;
  readBundles(view);
};

const readBundles = view => {
  const find = (key, among, what) => {
    const wanted = view.asked.get(key);
    if (wanted === null) return undefined;
    const found = among.get(wanted);
    if (!found) view.problems.push(`Package ${view.pkg.title} has no ${what} “${wanted}”.`);
    return found;
  };
  view.channel = find('c', view.pkg.byChannel, 'channel');
  view.bundle = find('b', view.pkg.byName, 'bundle');
};

/** Changes parameters of the hash; undefined removes one. */
const go = changes => {
  const asked = new URLSearchParams('p' in changes ? filterParameters() : location.hash.slice(1));
  for (const [key, value] of Object.entries(changes)) {
    if (value === undefined) asked.delete(key);
    else asked.set(key, value);
  }
  if (view.pkg && !('p' in changes)) asked.set('p', view.pkg.title);
  location.hash = asked.toString();
  apply();
};

/** A link that keeps the filters. */
const link = (changes, ...children) => {
  const asked = new URLSearchParams({...changes, ...filterParameters()}).toString();
  return make('a', {href: '#' + asked}, ...children);
};

/** A link to a part of the package in view, in the same picture. */
const linkHere = (changes, ...children) =>
  link({p: view.pkg.title, ...view.graph === 'before' && {graph: view.graph}, ...changes}, ...children);

/** The entry of a bundle in a channel, or in the default channel, or in the first that has it. */
const entryOf = (bundle, channel) => {
  const {entries} = bundle;
  const within = c => entries.find(e => e.channel === c);
  const defaultChannel = view.pkg.defaultChannel;
  return (channel && within(channel)) || (defaultChannel && within(defaultChannel)) || entries[0];
};

let view = {problems: []};
let applied; // the hash that view was read from

const apply = () => {
  const {item: before, graph} = view;
  applied = location.hash;
  readFilters(new URLSearchParams(location.hash.slice(1)));
  view = readHash();
  fill($('message'), view.problems.flatMap((problem, i) => [i > 0 && ' ', problem].flat()));
  $('message').hidden = view.problems.length === 0;
  document.title = visible([view.bundle?.title, view.pkg?.title, data.title].filter(Boolean).join(' · '));
  document.body.classList.toggle('home', !view.pkg);
  showFiltered();
  if (view.item !== before || view.graph !== graph) openPackage();
  showBar();
  showFacts();
  mark();
  reveal();
};
