/* What the other files do not watch, and the start. */

const watchRest = () => {
  watchTheme();
  $('search').addEventListener('input', showFiltered);
  $('search').addEventListener('keydown', e => e.key === 'Enter' && openFound());
  for (const [id, key] of [['filter-rule', 'rule'], ['filter-gate', 'gate']]) $(id).addEventListener('change', e => filter({[key]: e.target.value}));
  $('versions').addEventListener('change', e => go({ocp: e.target.value === data.command.newest ? undefined : e.target.value, c: undefined, b: undefined, graph: undefined}));
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
    openPackage(e.currentTarget.ariaPressed !== 'true');
    mark();
  });
  addEventListener('hashchange', () => location.hash !== applied && apply());
};

const start = () => {
  for (const watch of [watchPointer, watchClicks, watchZoom, watchKeys, watchRest]) watch();
  document.body.classList.toggle('single', single);
  applyTheme();
  apply();
};

start();
