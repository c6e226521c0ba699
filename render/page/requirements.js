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

/** The picture of the dependencies, with links to the packages. */
const requirements = () => {
  const svg = $('requirements')?.content.querySelector('svg')?.cloneNode(true);
  if (!svg) return undefined;
  svg.setAttribute('role', 'group');
  data.dependencyNodes.forEach((i, at) => {
    const node = i >= 0 && packages.has(text(i)) && svg.querySelector(`#n${at}`);
    if (!node) return;
    const anchor = document.createElementNS('http://www.w3.org/2000/svg', 'a');
    anchor.setAttribute('href', '#' + new URLSearchParams({p: text(i)}));
    anchor.setAttribute('aria-label', visible(text(i)));
    node.removeAttribute('tabindex');
    node.replaceWith(anchor);
    anchor.append(node);
  });
  return make('section', {class: 'requirements'}, make('div', {class: 'scroll'}, svg));
};
