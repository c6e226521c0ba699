/* The state of the page is in the hash of its address. */

const generations = ['v0', 'v1'];

/** The view of the hash, and problems with names that do not exist. */
const readHash = () => {
  const asked = new URLSearchParams(location.hash.slice(1));
  const view = {asked, olm: generations.includes(asked.get('olm')) ? asked.get('olm') : data.olm, problems: []};
  const wanted = asked.get('p') ?? (data.packages.length === 1 ? data.packages[0].title : undefined);
  if (wanted === undefined) return view;
  view.pkg = packages.get(wanted);
  if (!view.pkg) view.problems.push(`There is no package “${wanted}”.`);
  else readBundles(view);
  if (asked.has('olm') && !generations.includes(asked.get('olm'))) view.problems.push(`There is no OLM “${asked.get('olm')}”: v0 or v1.`);
  return view;
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
  view.from = find('from', view.pkg.byName, 'bundle');
  view.to = find('to', view.pkg.byName, 'bundle');
};

/** Changes parameters of the hash; undefined removes one. */
const go = changes => {
  const asked = new URLSearchParams('p' in changes ? '' : location.hash.slice(1));
  for (const [key, value] of Object.entries(changes)) {
    if (value === undefined) asked.delete(key);
    else asked.set(key, value);
  }
  if (view.pkg && !asked.has('p')) asked.set('p', view.pkg.title);
  location.hash = asked.toString();
  apply();
};

const link = (changes, ...children) => {
  const asked = new URLSearchParams(changes).toString();
  return make('a', {href: '#' + asked}, ...children);
};

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
  const before = view.pkg;
  applied = location.hash;
  view = readHash();
  $('message').textContent = visible(view.problems.join(' '));
  $('message').hidden = view.problems.length === 0;
  document.title = visible([view.bundle?.title, view.pkg?.title, data.title].filter(Boolean).join(' · '));
  document.body.classList.toggle('home', !view.pkg);
  $('overview').hidden = view.pkg !== undefined;
  if (view.pkg !== before) openPackage();
  showSelected();
  showBar();
  showFacts();
  showPath();
  mark();
  reveal();
};
