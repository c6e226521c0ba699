/* Pointer and keyboard. */

const nodeOf = target => target instanceof Element ? target.closest('g.node[id]') : null;

const watchPointer = () => {
  let drag;
  stage.addEventListener('pointerover', e => e.pointerType === 'mouse' && !drag?.moved && point(entryAt(nodeOf(e.target))));
  stage.addEventListener('pointerleave', () => point(undefined));
  stage.addEventListener('focusin', e => point(entryAt(nodeOf(e.target))));
  stage.addEventListener('focusout', () => point(undefined));
  stage.addEventListener('pointerdown', e => {
    if (e.pointerType === 'mouse' && e.button === 0) drag = {x: e.clientX, y: e.clientY, left: stage.scrollLeft, top: stage.scrollTop};
  });
  addEventListener('pointermove', e => {
    if (!drag) return;
    drag.moved ||= Math.hypot(e.clientX - drag.x, e.clientY - drag.y) > 4;
    if (!drag.moved) return;
    stage.classList.add('dragged');
    stage.scrollLeft = drag.left + drag.x - e.clientX;
    stage.scrollTop = drag.top + drag.y - e.clientY;
  });
  addEventListener('pointerup', () => {
    stage.classList.remove('dragged');
    dragged = drag?.moved ?? false;
    drag = undefined;
  });
};

let dragged = false;

const watchClicks = () => {
  stage.addEventListener('click', e => {
    const node = nodeOf(e.target), entry = entryAt(node);
    if (dragged || !entry) {
      if (!dragged && node?.dataset.members) unfold(node);
      dragged = false;
      return;
    }
    select(entry);
  });
};

/** Shows an entry: one that the change removed in the picture of before. */
const select = entry => {
  const node = nodeFor(entry);
  if (node) setTabStop(node);
  go({...entry.channel.pkg !== view.pkg && {graph: 'before'}, c: entry.channel.title, b: entry.of.title});
};

const watchZoom = () => {
  stage.addEventListener('wheel', e => {
    if (!e.ctrlKey && !e.metaKey) return;
    e.preventDefault();
    zoomTo(picture.scale * Math.exp(-e.deltaY / 300), e.clientX, e.clientY);
  }, {passive: false});
  let pinch;
  const span = touches => Math.hypot(touches[0].clientX - touches[1].clientX, touches[0].clientY - touches[1].clientY);
  stage.addEventListener('touchstart', e => {
    if (e.touches.length === 2) pinch = {span: span(e.touches), scale: picture.scale};
  }, {passive: true});
  stage.addEventListener('touchmove', e => {
    if (e.touches.length !== 2 || !pinch) return;
    e.preventDefault();
    const [a, b] = e.touches;
    zoomTo(pinch.scale * span(e.touches) / pinch.span, (a.clientX + b.clientX) / 2, (a.clientY + b.clientY) / 2);
  }, {passive: false});
};

/** Makes a node the tab stop of the picture. */
const setTabStop = node => {
  picture.svg.querySelector('g.node[tabindex="0"]')?.setAttribute('tabindex', '-1');
  node.setAttribute('tabindex', '0');
};

const focusNode = node => {
  setTabStop(node);
  node.focus({preventScroll: true});
  scrollToShow(node);
};

const centerOf = node => {
  const place = node.getBoundingClientRect();
  return {x: place.left + place.width / 2, y: place.top + place.height / 2};
};

const nearest = (node, nodes, cost) => {
  const from = centerOf(node);
  const costs = nodes.map(other => ({other, cost: cost(centerOf(other), from)})).filter(c => c.cost < Infinity);
  return costs.reduce((best, c) => best && best.cost <= c.cost ? best : c, undefined)?.other;
};

/** The node at the other end of an edge: targets to the right, sources to the left, automatic upgrades first. */
const alongEdge = (node, key) => {
  const [here, there] = key === 'ArrowRight' ? ['from', 'to'] : ['to', 'from'];
  const leading = picture.edges.filter(e => e.dataset[here] === node.id && e.dataset[there] !== node.id);
  const followed = leading.filter(e => e.classList.contains('next'));
  const nodes = (followed.length > 0 ? followed : leading).map(e => picture.nodes.get(e.dataset[there])).filter(Boolean);
  return nearest(node, nodes, (a, b) => Math.hypot(a.x - b.x, a.y - b.y));
};

const upOrDown = (node, key) => {
  const sign = key === 'ArrowDown' ? 1 : -1;
  const others = [...picture.nodes.values()].filter(other => other !== node);
  return nearest(node, others, (a, b) => (a.y - b.y) * sign > 2 ? (a.y - b.y) * sign + 2 * Math.abs(a.x - b.x) : Infinity);
};

const nodeKey = (e, node) => {
  const to = {ArrowRight: alongEdge, ArrowLeft: alongEdge, ArrowUp: upOrDown, ArrowDown: upOrDown}[e.key];
  if (to) {
    const found = to(node, e.key);
    if (found) focusNode(found);
  } else if (e.key === 'Enter' || e.key === ' ') {
    if (node.dataset.members) unfold(node);
    else select(entryAt(node));
  } else return;
  e.preventDefault();
};

const writing = target => target instanceof Element && target.closest('input, select') !== null;

const keys = {
  '/': () => $('search').focus(),
  '+': () => zoomBy(1.25),
  '=': () => zoomBy(1.25),
  '-': () => zoomBy(0.8),
  '0': fit,
};

const watchKeys = () => addEventListener('keydown', e => {
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  if (e.key === 'Escape') escape(e);
  else if (writing(e.target)) return;
  else if (keys[e.key]) {
    keys[e.key]();
    e.preventDefault();
  } else {
    const node = nodeOf(e.target);
    if (node && (entryAt(node) || node.dataset.members)) nodeKey(e, node);
  }
});

/** Clears the first of these: search, bundle. */
const escape = e => {
  if (e.target === $('search')) {
    $('search').value = '';
    showFiltered();
  } else if (view.bundle || view.channel) go({b: undefined, c: undefined});
};
