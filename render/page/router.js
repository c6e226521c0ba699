/* Where we are: the hash. */

const generations = ['v0', 'v1'];

/** The view that the hash asks for, and what it asks for in vain. */
const readHash = () => {
  const asked = new URLSearchParams(location.hash.slice(1));
  const view = {asked, olm: generations.includes(asked.get('olm')) ? asked.get('olm') : data.olm, troubles: []};
  const wanted = asked.get('p') ?? (data.packages.length === 1 ? data.packages[0].title : undefined);
  if (wanted === undefined) return view;
  view.pkg = packages.get(wanted);
  if (!view.pkg) view.troubles.push(`There is no package “${wanted}”.`);
  else readBundles(view);
  if (asked.has('olm') && !generations.includes(asked.get('olm'))) view.troubles.push(`There is no OLM “${asked.get('olm')}”: v0 or v1.`);
  return view;
};

const readBundles = view => {
  const find = (key, among, what) => {
    const wanted = view.asked.get(key);
    if (wanted === null) return undefined;
    const found = among.get(wanted);
    if (!found) view.troubles.push(`Package ${view.pkg.title} has no ${what} “${wanted}”.`);
    return found;
  };
  view.channel = find('c', view.pkg.byChannel, 'channel');
  view.bundle = find('b', view.pkg.byName, 'bundle');
  view.from = find('from', view.pkg.byName, 'bundle');
  view.to = find('to', view.pkg.byName, 'bundle');
};

/** Goes to a view: what is undefined is dropped. */
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

/** The channel that a bundle is looked at in: the one asked for, else the default one, else the first that has it. */
const entryOf = (bundle, channel) => {
  const {entries} = bundle;
  const within = c => entries.find(e => e.channel === c);
  const standard = view.pkg.standard;
  return (channel && within(channel)) || (standard && within(standard)) || entries[0];
};

let view = {troubles: []};
let applied; // the hash that view was read from

const apply = () => {
  const before = view.pkg;
  applied = location.hash;
  view = readHash();
  $('message').textContent = visible(view.troubles.join(' '));
  $('message').hidden = view.troubles.length === 0;
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
