/* Dependencies between packages. */

/** A package as a link, if the page has it. */
const packageName = title => packages.has(title) ? link({p: title}, nameOrEmpty(title)) : nameOrEmpty(title);

const enumerated = (items, last) => items.flatMap((item, i) => [i > 0 && (i < items.length - 1 ? ', ' : ` ${last} `), item]);

/** The providers of a requirement of a package; undefined if they are not known. */
const providers = (pkg, what) => {
  const requirement = pkg.requires?.find(n => n.what === what);
  if (!requirement) return undefined;
  const others = requirement.others.map(text);
  if (others.length === 0) return make('div', {class: 'bad'}, 'not provided by this catalog');
  return make('div', {class: 'quiet'}, 'provided by ', enumerated(others.map(o => o === pkg.title ? 'the package itself' : packageName(o)), 'or'));
};

const olderOnly = requirement => requirement.older && make('span', {class: 'quiet'}, ' (older versions only)');

const dependencySections = pkg => [
  pkg.requires && section('Requires', folded(pkg.requires.map(n => make('div', {class: 'need'}, name(text(n.what)), olderOnly(n), providers(pkg, n.what))), 'requirement')),
  pkg.requiredBy && section('Required by', folded(pkg.requiredBy.map(n => make('div', {class: 'need'},
    enumerated(n.others.map(i => packageName(text(i))), 'and'), make('span', {class: 'quiet'}, ': '), name(text(n.what)), olderOnly(n))), 'requirement')),
];
