/* Tabs and the rest. */

const openTab = which => {
  for (const tab of ['facts', 'path']) {
    $(tab).hidden = tab !== which;
    $(`tab-${tab}`).setAttribute('aria-selected', String(tab === which));
    $(`tab-${tab}`).setAttribute('tabindex', tab === which ? '0' : '-1');
  }
};

const watchTabs = () => {
  for (const tab of ['facts', 'path']) {
    $(`tab-${tab}`).addEventListener('click', () => openTab(tab));
    $(`tab-${tab}`).addEventListener('keydown', e => {
      if (e.key !== 'ArrowLeft' && e.key !== 'ArrowRight') return;
      const other = tab === 'facts' ? 'path' : 'facts';
      openTab(other);
      $(`tab-${other}`).focus();
    });
  }
};

const watchRest = () => {
  watchTheme();
  $('search').addEventListener('input', showFiltered);
  $('search').addEventListener('keydown', e => e.key === 'Enter' && openFound());
  for (const [id, key] of [['filter-rule', 'rule'], ['filter-gate', 'gate']]) $(id).addEventListener('change', e => filter({[key]: e.target.value}));
  $('filter-clear').addEventListener('click', () => filter({severity: '', show: '', rule: '', gate: ''}));
  $('skip').addEventListener('click', e => {
    e.preventDefault();
    (picture.svg?.querySelector('g.node[tabindex="0"]') ?? (view.pkg ? stage : $('search'))).focus();
  });
  stage.addEventListener('scroll', keepNames);
  new ResizeObserver(() => {
    if (!picture.svg || picture.frame === stage.clientWidth) return;
    zoomInitially();
    revealed = '';
    reveal();
  }).observe(stage);
  $('zoom-in').addEventListener('click', () => zoomBy(1.25));
  $('zoom-out').addEventListener('click', () => zoomBy(0.8));
  $('zoom-fit').addEventListener('click', fit);
  $('unfold').addEventListener('click', e => {
    openPackage(e.currentTarget.ariaPressed !== 'true' || isFolded());
    mark();
  });
  addEventListener('hashchange', () => location.hash !== applied && apply());
};

const start = () => {
  for (const watch of [watchPointer, watchClicks, watchZoom, watchKeys, watchPath, watchTabs, watchRest]) watch();
  document.body.classList.toggle('single', single);
  applyTheme();
  apply();
  if (view.from && view.to) openTab('path');
};

start();

/** For the console and for tests: the upgrades from one bundle of the package in view to another, or undefined. */
globalThis.olmgraph = Object.freeze({
  path: (channel, from, to, olm) => {
    const entry = title => view.pkg.byName.get(title).entries.find(e => e.channel.title === channel);
    return pathBetween(entry(from), entry(to), olm)?.map(s => ({from: s.from.of.title, to: s.to.of.title, kind: s.kind,
      value: text(s.field[0]), file: text(s.field[1]), line: s.field[2], automatic: automatic(s, olm)}));
  },
});
